// SPDX-License-Identifier: Apache-2.0
// Reads the logs of mtrace, which is a part of the GNU C library. Each line is
// an event: "+ ADDRESS SIZE" is an allocation, "- ADDRESS" is a free, "<
// ADDRESS" and "> ADDRESS SIZE" are the two halves of a realloc, and "! ADDRESS
// SIZE" is a realloc that failed. The event may be preceded by its caller: "@",
// a file name, which may contain spaces, and an address in brackets. Numbers
// are hexadecimal, and zero is "0". The first line is "= Start", and the last
// line is "= End" (source: malloc/mtrace-impl.c of glibc). A log contains
// neither alignments nor threads.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/recordings/line_source.h"
#include "src/recordings/malloc_events.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_source.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr string_view kMtraceStart = "= Start";
constexpr string_view kMtraceEnd = "= End";

struct MtraceEvent {
  char kind = '\0';  // one of + - < > !
  uint64_t address = 0;
  uint64_t size = 0;
};

// Removes the last word of a line and the spaces after it, and returns the
// word.
string_view TakeLastWord(string_view* line) {
  while (absl::ConsumeSuffix(line, " ")) {
  }
  const size_t blank = line->rfind(' ');
  const size_t begin = blank == string_view::npos ? 0 : blank + 1;
  const string_view word = line->substr(begin);
  line->remove_suffix(line->size() - begin);
  return word;
}

// Returns whether the text may precede an event: it must be empty or a caller,
// and must not contain another event. It does contain another event if several
// processes overwrite each other's lines.
bool IsMtraceCaller(string_view text) {
  if (text.empty()) return true;
  for (const string_view event : {"] + ", "] - ", "] < ", "] > ", "] ! "}) {
    if (absl::StrContains(text, event)) return false;
  }
  return absl::StartsWith(text, "@ ");
}

optional<uint64_t> ParseMtraceAddress(string_view word) {
  return word == "(nil)" ? optional<uint64_t>(0) : ParseHexNumber(word);
}

// Parses a line from its end, because the file name at its beginning may
// contain any characters.
optional<MtraceEvent> ParseMtraceLine(string_view line) {
  string_view words[2];
  words[1] = TakeLastWord(&line);
  words[0] = TakeLastWord(&line);
  MtraceEvent event;
  optional<uint64_t> address;
  optional<uint64_t> size;
  if (words[0] == "-" || words[0] == "<") {
    event.kind = words[0][0];
    address = ParseMtraceAddress(words[1]);
    size = 0;
  } else {
    const string_view kind = TakeLastWord(&line);
    if (kind != "+" && kind != ">" && kind != "!") return nullopt;
    event.kind = kind[0];
    address = ParseMtraceAddress(words[0]);
    size = ParseHexNumber(words[1]);
  }
  if (!IsMtraceCaller(line) || !address.has_value() || !size.has_value()) {
    return nullopt;
  }
  event.address = *address;
  event.size = *size;
  return event;
}

void AddMtraceEvent(const MtraceEvent& event, MallocEvents* events) {
  if (event.address == 0) return;  // the allocation failed
  switch (event.kind) {
    case '+':
    case '>':
      events->Alloc(event.address, event.size);
      break;
    case '-':
      events->Free(event.address);
      break;
    case '<':
      events->FreeByRealloc(event.address);
      break;
    default:  // a realloc that failed leaves its block as it was
      break;
  }
}

// Reads the lines of a file. The file contains several logs if "= Start" occurs
// again.
class MtraceReader {
 public:
  MtraceReader(LineSource* lines, const RecordingOptions& options)
      : lines_(lines), options_(options) {}

  StatusOr<std::vector<RecordingPart>> Read() {
    std::string remark;
    while (true) {
      const StatusOr<optional<string_view>> line = lines_->Next();
      if (!line.ok()) return line.status();
      if (!line->has_value()) break;
      if (**line == kMtraceStart) {
        if (const Status s = EndRun(""); !s.ok()) return s;
      } else if (**line == kMtraceEnd || (*line)->empty()) {
        continue;
      } else if (!lines_->is_whole()) {
        remark = CutLineRemark(lines_->line());
      } else if (const Status s = ReadEvent(**line); !s.ok()) {
        return s;
      }
    }
    if (const Status s = EndRun(remark); !s.ok()) return s;
    if (parts_.empty()) {
      return lines_->Error(
          "ends a log without events; expected a program that allocates after "
          "it calls mtrace");
    }
    return std::move(parts_);
  }

 private:
  Status ReadEvent(string_view line) {
    const optional<MtraceEvent> event = ParseMtraceLine(line);
    if (!event.has_value()) {
      return lines_->Error(absl::StrCat(
          Quoted(line),
          " is not an event of mtrace; expected + ADDRESS SIZE or - ADDRESS, "
          "in a log of one process, since processes with the same MALLOC_TRACE "
          "overwrite each other's lines"));
    }
    AddMtraceEvent(*event, &events_);
    return absl::OkStatus();
  }

  Status EndRun(const std::string& remark) {
    return EndMallocRun(*lines_, absl::StrCat("run ", parts_.size() + 1),
                        options_, remark, &events_, &parts_);
  }

  LineSource* lines_;
  const RecordingOptions& options_;
  MallocEvents events_;
  std::vector<RecordingPart> parts_;
};

StatusOr<std::vector<RecordingPart>> ReadMtrace(
    RecordingInput* input, const RecordingOptions& options) {
  const std::unique_ptr<ByteSource> source = input->Open();
  LineSource lines(source.get(), input->name());
  return MtraceReader(&lines, options).Read();
}

// If the beginning of a log was cut off, the first line may be any event.
bool DetectMtrace(string_view start, const std::string& /*path*/) {
  const size_t end = start.find('\n');
  string_view line = start.substr(0, end);
  absl::ConsumeSuffix(&line, "\r");
  absl::ConsumePrefix(&line, kLogByteOrderMark);
  if (line == kMtraceStart) return true;
  return end != string_view::npos && ParseMtraceLine(line).has_value();
}

}  // namespace

const RecordingFormat kMtrace = {
    {"mtrace", "a log of mtrace, of the GNU C library", "",
     /*has_events=*/true},
    DetectMtrace,
    ReadMtrace,
};

}  // namespace stowage::recordings
