// SPDX-License-Identifier: Apache-2.0
// Writes events as JSON in the "Trace Event Format" of the Chrome developers.
// Times are in microseconds.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "src/views/trace_event_writer.h"

namespace stowage::views {
namespace {

std::string JsonText(const std::string& text) {
  return nlohmann::json(text).dump();
}

// Rounds nanoseconds to the nearest multiple of 1/1024 microsecond. Viewers
// compute in floating point, which represents such binary fractions exactly, so
// the end of a slice equals the beginning of the next slice. With decimal
// fractions, slices would overlap: for example, 22.975 + 28.362 is not 51.337
// in floating point.
constexpr uint64_t kUnitsPerMicro = 1024;
uint64_t JsonUnits(uint64_t nanoseconds) {
  return nanoseconds / 1000 * kUnitsPerMicro +
         (nanoseconds % 1000 * kUnitsPerMicro + 500) / 1000;
}

// Formats a time in microseconds, without a fraction if the fraction is 0.
std::string JsonMicros(uint64_t units) {
  const uint64_t micros = units / kUnitsPerMicro;
  const uint64_t rest = units % kUnitsPerMicro;
  if (rest == 0) return absl::StrCat(micros);
  // The factor is correct since 1/1024 is 0.0009765625.
  std::string text = absl::StrFormat("%d.%010d", micros, rest * 9765625);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

class JsonEvents : public TraceEventWriter {
 public:
  void Begin(std::string* out) override {
    absl::StrAppend(out, R"({"displayTimeUnit":"ns","traceEvents":[)");
  }

  void AddProcess(const std::string& name, std::string* out) override {
    ++process_;
    track_ = 0;
    AddMetadata("process_name", "name", JsonText(name), out);
    AddMetadata("process_sort_index", "sort_index", absl::StrCat(process_),
                out);
  }

  // Does not write groups, because the names of tracks already contain the
  // names of their groups.
  void AddGroup(const std::string& /*name*/, std::string* /*out*/) override {}

  Track AddTrack(const std::string& name, std::string* out) override {
    ++track_;
    AddMetadata("thread_name", "name", JsonText(name), out);
    AddMetadata("thread_sort_index", "sort_index", absl::StrCat(track_), out);
    return track_;
  }

  void AddSlice(Track track, const EventSlice& slice,
                std::string* out) override {
    AddHead("X", track, slice.begin, out);
    absl::StrAppend(out, ",\"dur\":",
                    JsonMicros(JsonUnits(slice.end) - JsonUnits(slice.begin)),
                    ",\"name\":", JsonText(slice.name));
    absl::string_view separator = R"(,"args":{)";
    for (const EventArg& arg : slice.args) {
      absl::StrAppend(
          out, separator, JsonText(arg.key), ":",
          arg.number ? absl::StrCat(*arg.number) : JsonText(arg.text));
      separator = ",";
    }
    absl::StrAppend(out, slice.args.empty() ? "}" : "}}");
  }

  // Writes nothing, because the first value of a counter also declares the
  // counter.
  Track AddCounters(const std::string& name,
                    const std::vector<std::string>& keys,
                    std::string* /*out*/) override {
    std::vector<std::string> texts;
    for (const std::string& key : keys) {
      const std::string start =
          texts.empty()
              ? absl::StrCat(",\"name\":", JsonText(name), ",\"args\":{")
              : ",";
      texts.push_back(absl::StrCat(start, JsonText(key), ":"));
    }
    counters_.push_back(std::move(texts));
    return counters_.size() - 1;
  }

  // Writes a single event for all counters of a group, because most of the file
  // of a large plan consists of counter events.
  void AddBytes(Track counters, uint64_t time,
                const std::vector<uint64_t>& bytes, std::string* out) override {
    AddHead("C", 0, time, out);
    const std::vector<std::string>& texts = counters_[counters];
    for (size_t k = 0; k < texts.size(); ++k) {
      absl::StrAppend(out, texts[k], bytes[k]);
    }
    absl::StrAppend(out, "}}");
  }

  void End(std::string* out) override { absl::StrAppend(out, "\n]}\n"); }

 private:
  void AddStart(absl::string_view phase, uint64_t track, std::string* out) {
    absl::StrAppend(out, is_first_ ? "\n" : ",\n", R"({"ph":")", phase,
                    R"(","pid":)", process_, ",\"tid\":", track);
    is_first_ = false;
  }

  void AddHead(absl::string_view phase, uint64_t track, uint64_t time,
               std::string* out) {
    AddStart(phase, track, out);
    absl::StrAppend(out, ",\"ts\":", JsonMicros(JsonUnits(time)));
  }

  void AddMetadata(absl::string_view name, absl::string_view key,
                   const std::string& value, std::string* out) {
    AddStart("M", track_, out);
    absl::StrAppend(out, R"(,"name":")", name, R"(","args":{")", key,
                    "\":", value, "}}");
  }

  bool is_first_ = true;
  uint64_t process_ = 0;
  // The number of the last track of the process.
  uint64_t track_ = 0;
  // For each group of counters, the pieces of text that follow the time in an
  // event of the group. The value of one counter follows each piece.
  std::vector<std::vector<std::string>> counters_;
};

}  // namespace

std::unique_ptr<TraceEventWriter> JsonEventWriter() {
  return std::make_unique<JsonEvents>();
}

}  // namespace stowage::views
