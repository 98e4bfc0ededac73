// SPDX-License-Identifier: Apache-2.0
#include "tests/views/event_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stowage::views {
namespace {

using EventJson = nlohmann::json;

// Returns the sum of two times in nanoseconds. The arguments are in
// microseconds. The sum is exact if both arguments are integers. Otherwise it
// is computed in double precision, as in viewers, and rounded.
uint64_t NanosecondsOf(const EventJson& micros, const EventJson& more = 0u) {
  if (micros.is_number_unsigned() && more.is_number_unsigned()) {
    return (micros.get<uint64_t>() + more.get<uint64_t>()) * 1000;
  }
  EXPECT_TRUE(micros.is_number()) << micros;
  return static_cast<uint64_t>(
      std::llround((micros.get<double>() + more.get<double>()) * 1000));
}

// A message read from the output of protoc. Its fields are lines "key: value",
// and its inner messages are "key { ... }".
struct ReadMessage {
  std::multimap<std::string, std::string> values;
  std::multimap<std::string, ReadMessage> messages;

  std::string Text(const std::string& key) const {
    const auto found = values.find(key);
    if (found == values.end()) return "";
    absl::string_view text = found->second;
    if (!absl::ConsumePrefix(&text, "\"")) return found->second;
    absl::ConsumeSuffix(&text, "\"");
    std::string unescaped;
    EXPECT_TRUE(absl::CUnescape(text, &unescaped)) << text;
    return unescaped;
  }
  uint64_t Number(const std::string& key) const {
    uint64_t number = 0;
    const std::string text = Text(key);
    EXPECT_TRUE(text.empty() || absl::SimpleAtoi(text, &number))
        << key << " " << text;
    return number;
  }
  const ReadMessage* Message(const std::string& key) const {
    const auto found = messages.find(key);
    return found == messages.end() ? nullptr : &found->second;
  }
};

ReadMessage ReadMessageLines(const std::vector<absl::string_view>& lines,
                             size_t* next) {
  ReadMessage message;
  while (*next < lines.size()) {
    absl::string_view line = lines[(*next)++];
    while (absl::ConsumePrefix(&line, " ")) {
    }
    if (line == "}") break;
    if (absl::ConsumeSuffix(&line, " {")) {
      message.messages.emplace(std::string(line),
                               ReadMessageLines(lines, next));
    } else if (!line.empty()) {
      const std::pair<std::string, std::string> field =
          absl::StrSplit(line, absl::MaxSplits(": ", 1));
      message.values.insert(field);
    }
  }
  return message;
}

ReadSlice SliceOf(uint64_t time, const ReadMessage& event) {
  ReadSlice slice = {event.Text("name"), time, time};
  const auto [begin, end] = event.messages.equal_range("debug_annotations");
  for (auto it = begin; it != end; ++it) {
    const std::string name = it->second.Text("name");
    if (it->second.values.count("uint_value") > 0) {
      slice.numbers[name] = it->second.Number("uint_value");
    } else {
      slice.texts[name] = it->second.Text("string_value");
    }
  }
  return slice;
}

// Collects the tracks of a file while the file is read.
struct DecodedTracks {
  std::vector<ReadTrack> tracks;
  std::map<uint64_t, size_t> index;  // indices in `tracks`, by UUID
  std::map<uint64_t, std::string> processes;
  std::map<uint64_t, std::pair<std::string, std::string>> groups;

  void Add(const ReadMessage& descriptor) {
    const uint64_t uuid = descriptor.Number("uuid");
    EXPECT_EQ(index.count(uuid) + processes.count(uuid) + groups.count(uuid),
              0u);
    const std::string name = descriptor.Text("name");
    if (const ReadMessage* process = descriptor.Message("process")) {
      processes[uuid] = process->Text("process_name");
      EXPECT_EQ(descriptor.Text("child_ordering"), "EXPLICIT");
      return;
    }
    const uint64_t parent = descriptor.Number("parent_uuid");
    const bool is_in_group = groups.count(parent) > 0;
    EXPECT_TRUE(is_in_group || processes.count(parent) > 0) << parent;
    const std::string process =
        is_in_group ? groups[parent].first : processes[parent];
    if (descriptor.values.count("child_ordering") > 0) {
      EXPECT_EQ(descriptor.Text("child_ordering"), "EXPLICIT");
      groups[uuid] = {process, name};
      return;
    }
    if (const ReadMessage* counter = descriptor.Message("counter")) {
      EXPECT_EQ(counter->Text("unit"), "UNIT_SIZE_BYTES");
    }
    index[uuid] = tracks.size();
    tracks.push_back({process, is_in_group ? groups[parent].second : "", name,
                      descriptor.Number("sibling_order_rank")});
  }

  void Add(uint64_t time, const ReadMessage& event) {
    const auto found = index.find(event.Number("track_uuid"));
    ASSERT_NE(found, index.end());
    ReadTrack& track = tracks[found->second];
    const std::string type = event.Text("type");
    if (type == "TYPE_SLICE_BEGIN") {
      track.slices.push_back(SliceOf(time, event));
    } else if (type == "TYPE_SLICE_END") {
      ASSERT_FALSE(track.slices.empty());
      track.slices.back().end = time;
    } else {
      ASSERT_EQ(type, "TYPE_COUNTER");
      double real = 0;
      const bool is_real =
          absl::SimpleAtod(event.Text("double_counter_value"), &real);
      track.values.emplace_back(time, is_real ? static_cast<uint64_t>(real)
                                              : event.Number("counter_value"));
    }
  }
};

}  // namespace

std::vector<ReadTrack> ReadJsonEvents(const std::string& json) {
  const EventJson document = EventJson::parse(json, nullptr, false);
  EXPECT_FALSE(document.is_discarded());
  if (document.is_discarded()) return {};
  std::map<uint64_t, std::string> processes;
  std::vector<ReadTrack> tracks;
  std::map<std::string, size_t> index;
  for (const EventJson& event : document.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const uint64_t process = event.at("pid");
    const std::string key =
        absl::StrCat(process, " ", event.at("tid").get<uint64_t>());
    const EventJson args = event.value("args", EventJson::object());
    if (phase == "M") {
      const std::string name = event.at("name");
      if (name == "process_name") processes[process] = args.at("name");
      if (name != "thread_name") continue;
      EXPECT_TRUE(index.emplace(key, tracks.size()).second) << key;
      tracks.push_back({processes.at(process), "", args.at("name")});
    } else if (phase == "C") {
      EXPECT_FALSE(args.empty());
      for (const auto& [counter, value] : args.items()) {
        const std::string name =
            absl::StrCat(event.at("name").get<std::string>(), " ", counter);
        const auto added =
            index.emplace(absl::StrCat(process, " ", name), tracks.size());
        if (added.second) tracks.push_back({processes.at(process), "", name});
        tracks[added.first->second].values.emplace_back(
            NanosecondsOf(event.at("ts")), value.get<uint64_t>());
      }
    } else {
      EXPECT_EQ(phase, "X");
      const uint64_t begin = NanosecondsOf(event.at("ts"));
      ReadSlice slice = {event.at("name"), begin,
                         NanosecondsOf(event.at("ts"), event.at("dur"))};
      for (const auto& [name, value] : args.items()) {
        if (value.is_string()) {
          slice.texts[name] = value;
        } else {
          EXPECT_TRUE(value.is_number_unsigned()) << value;
          slice.numbers[name] = value;
        }
      }
      tracks.at(index.at(key)).slices.push_back(slice);
    }
  }
  return tracks;
}

std::vector<ReadTrack> ReadDecodedEvents(const std::string& text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  size_t next = 0;
  const ReadMessage trace = ReadMessageLines(lines, &next);
  DecodedTracks decoded;
  const auto [begin, end] = trace.messages.equal_range("packet");
  for (auto it = begin; it != end; ++it) {
    const ReadMessage& packet = it->second;
    EXPECT_EQ(packet.Number("trusted_packet_sequence_id"), 1u);
    const ReadMessage* descriptor = packet.Message("track_descriptor");
    if (descriptor != nullptr) decoded.Add(*descriptor);
    const ReadMessage* event = packet.Message("track_event");
    if (event != nullptr) decoded.Add(packet.Number("timestamp"), *event);
  }
  return decoded.tracks;
}

const ReadTrack& TrackNamed(const std::vector<ReadTrack>& tracks,
                            const std::string& name) {
  for (const ReadTrack& track : tracks) {
    if (track.name == name) return track;
  }
  static const ReadTrack none;
  ADD_FAILURE() << "no track " << name;
  return none;
}

}  // namespace stowage::views
