// SPDX-License-Identifier: Apache-2.0
// Reads the raw files of heaptrack. The first character of a line is its kind,
// and all numbers are hexadecimal. "v VERSION FORMAT" is the first line, "+
// SIZE TRACE ADDRESS" is an allocation and "- ADDRESS" is a free. A realloc is
// a free followed by an allocation, both written after the call has returned.
// The other lines are about the program: its file "x", its command "X", its
// modules "m", stacks "t", times "c" and memory "R" (source:
// src/track/libheaptrack.cpp of heaptrack, of KDE).
#include "src/recordings/heaptrack.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

// The newest format for which the lines are known to have the form described
// above.
constexpr uint64_t kNewestHeaptrackFormat = 3;

// Removes the first line from a text and returns it.
string_view TakeHeaptrackLine(string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  absl::ConsumeSuffix(&line, "\r");
  return line;
}

// Parses "v VERSION FORMAT" and returns the number of the format. Returns 0 for
// the oldest files, which do not state a format.
optional<uint64_t> ParseHeaptrackVersion(string_view line) {
  const std::vector<string_view> words = absl::StrSplit(line, ' ');
  if (words.size() < 2 || words.size() > 3 || words[0] != "v") return nullopt;
  if (!ParseHexNumber(words[1]).has_value()) return nullopt;
  return words.size() == 2 ? optional<uint64_t>(0) : ParseHexNumber(words[2]);
}

// Reads the lines of a raw file. If files were concatenated, every further
// version line begins a new run.
class HeaptrackReader {
 public:
  HeaptrackReader(LineSource* lines, const RecordingOptions& options)
      : lines_(lines), options_(options) {}

  StatusOr<std::vector<RecordingPart>> Read() {
    while (true) {
      const StatusOr<optional<string_view>> line = lines_->Next();
      if (!line.ok()) return line.status();
      if (!line->has_value()) break;
      Status status =
          lines_->line() == 1 ? ReadVersion(**line) : ReadLine(**line);
      if (!status.ok()) return status;
    }
    if (const Status s = EndRun(); !s.ok()) return s;
    if (parts_.empty()) {
      return lines_->Error(
          "ends a file without events; expected lines with + and -");
    }
    return std::move(parts_);
  }

 private:
  Status ReadVersion(string_view line) {
    if (Status s = EndRun(); !s.ok()) return s;
    const optional<uint64_t> format = ParseHeaptrackVersion(line);
    if (format.has_value() && *format <= kNewestHeaptrackFormat) {
      return absl::OkStatus();
    }
    return lines_->Error(absl::StrCat(Quoted(line),
                                      " is not a known version of heaptrack; "
                                      "expected v VERSION FORMAT with format ",
                                      kNewestHeaptrackFormat, " or less"));
  }

  Status ReadLine(string_view line) {
    if (line.empty()) return absl::OkStatus();
    const char kind = line[0];
    if (IsInCommand(kind)) return absl::OkStatus();
    if (!absl::StrContains("v+-", kind)) return absl::OkStatus();
    if (!lines_->is_whole()) {
      remark_ = CutLineRemark(lines_->line());
      return absl::OkStatus();
    }
    if (kind == 'v') return ReadVersion(line);
    return kind == '+' ? ReadAlloc(line) : ReadFree(line);
  }

  // Returns whether a line of this kind is a part of the command of the
  // program. The arguments of a command may contain newlines, so a line of the
  // command can begin with any character. Lines for modules or stacks always
  // separate the command from the first event.
  bool IsInCommand(char kind) {
    if (kind == 'X') {
      is_in_command_ = true;
    } else if (absl::StrContains("IAmtcR", kind)) {
      is_in_command_ = false;
    }
    return is_in_command_;
  }

  Status ReadAlloc(string_view line) {
    const std::vector<string_view> words = absl::StrSplit(line, ' ');
    if (words.size() == 4 && words[0] == "+") {
      const optional<uint64_t> size = ParseHexNumber(words[1]);
      const optional<uint64_t> trace = ParseHexNumber(words[2]);
      const optional<uint64_t> address = ParseHexNumber(words[3]);
      if (size.has_value() && trace.has_value() && address.has_value()) {
        if (freed_.has_value()) {
          events_.FreeMaybeByRealloc(*freed_);
          freed_.reset();
        }
        events_.Alloc(*address, *size);
        return absl::OkStatus();
      }
    }
    return lines_->Error(absl::StrCat(Quoted(line),
                                      " is not an allocation; expected + SIZE "
                                      "TRACE ADDRESS, in hexadecimal"));
  }

  Status ReadFree(string_view line) {
    const std::vector<string_view> words = absl::StrSplit(line, ' ');
    if (words.size() == 2 && words[0] == "-") {
      if (const auto address = ParseHexNumber(words[1]); address.has_value()) {
        EndFree();
        freed_ = address;
        return absl::OkStatus();
      }
    }
    return lines_->Error(absl::StrCat(
        Quoted(line), " is not a free; expected - ADDRESS, in hexadecimal"));
  }

  // Adds the last free, unless it has been added already. It cannot be a part
  // of a realloc, because it was not directly followed by an allocation.
  void EndFree() {
    if (freed_.has_value()) events_.Free(*freed_);
    freed_.reset();
  }

  Status EndRun() {
    EndFree();
    const std::string name =
        parts_.empty() ? "heap" : absl::StrCat("heap ", parts_.size() + 1);
    return EndMallocRun(*lines_, name, options_, remark_, &events_, &parts_);
  }

  LineSource* lines_;
  const RecordingOptions& options_;
  MallocEvents events_;
  // The address of the last free. The free is added to events_ only when the
  // next event is read, because the free and the next event may be a realloc if
  // that event is an allocation.
  optional<uint64_t> freed_;
  bool is_in_command_ = false;
  std::string remark_;
  std::vector<RecordingPart> parts_;
};

StatusOr<std::vector<RecordingPart>> ReadHeaptrack(
    RecordingInput* input, const RecordingOptions& options) {
  const std::unique_ptr<ByteSource> source = input->Open();
  LineSource lines(source.get(), input->name());
  return HeaptrackReader(&lines, options).Read();
}

bool DetectHeaptrack(string_view start, const std::string& /*path*/) {
  return HeaptrackKindOf(start) == HeaptrackKind::kRaw;
}

}  // namespace

HeaptrackKind HeaptrackKindOf(string_view start) {
  if (!ParseHeaptrackVersion(TakeHeaptrackLine(&start)).has_value()) {
    return HeaptrackKind::kNone;
  }
  // Only a raw file has a line for the file of the program ("x") directly after
  // the version, and lines for modules ("m") before the first event. The
  // interpreter of heaptrack converts both kinds of lines to strings ("s").
  while (!start.empty()) {
    const string_view line = TakeHeaptrackLine(&start);
    if (absl::StartsWith(line, "x ") || absl::StartsWith(line, "m ")) {
      return HeaptrackKind::kRaw;
    }
    if (absl::StartsWith(line, "s ") || absl::StartsWith(line, "i ") ||
        absl::StartsWith(line, "a ")) {
      return HeaptrackKind::kInterpreted;
    }
  }
  // An interpreted file has at least the strings of the program. A file without
  // any of these lines is read as a raw file, with errors that name the line.
  return HeaptrackKind::kRaw;
}

const RecordingFormat kHeaptrack = {
    {"heaptrack", "a raw file of heaptrack (heaptrack --raw)", "",
     /*has_events=*/true},
    DetectHeaptrack,
    ReadHeaptrack,
};

}  // namespace stowage::recordings
