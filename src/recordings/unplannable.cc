// SPDX-License-Identifier: Apache-2.0
// Recognizes files of memory profilers that do not contain the lifetimes of
// individual blocks, in order to report an error that explains what to record
// instead.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "src/recordings/heaptrack.h"
#include "src/recordings/recording_format.h"
#include "stowage/base/string_view.h"
#include "stowage/io/wire_reader.h"

namespace stowage::recordings {
namespace {

// The first key of a DHAT profile is the version of its format. The whitespace
// before the key depends on the program that wrote the profile.
bool DetectDhat(string_view start, const std::string& /*path*/) {
  start = absl::StripLeadingAsciiWhitespace(start);
  if (!absl::ConsumePrefix(&start, "{")) return false;
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(start),
                          "\"dhatFileVersion\"");
}

bool DetectHeaptrackInterpreted(string_view start,
                                const std::string& /*path*/) {
  return HeaptrackKindOf(start) == HeaptrackKind::kInterpreted;
}

// The first lines of massif are "desc: ...", "cmd: ..." and "time_unit: ...".
bool DetectMassif(string_view start, const std::string& /*path*/) {
  return absl::StartsWith(start, "desc: ") &&
         absl::StrContains(start, "\ncmd: ");
}

// The first line of jemalloc is "heap_v2/", followed by the sampling interval.
bool DetectJemalloc(string_view start, const std::string& /*path*/) {
  return absl::ConsumePrefix(&start, "heap_v2/") && !start.empty() &&
         absl::ascii_isdigit(static_cast<unsigned char>(start[0]));
}

bool DetectGperftools(string_view start, const std::string& /*path*/) {
  return absl::StartsWith(start, "heap profile: ");
}

// Returns whether a perfetto packet belongs to heapprofd, because it contains
// samples or the configuration of a trace with samples. Sets `is_trusted` if
// the packet states its origin, which the perfetto service adds to every packet
// (source: protos/perfetto/trace/trace_packet.proto of perfetto).
bool IsHeapprofdPacket(string_view packet, bool* is_trusted) {
  constexpr uint64_t kTrustedUid = 3;
  constexpr uint64_t kTrustedSequence = 10;
  constexpr uint64_t kTraceConfig = 33;
  constexpr uint64_t kProfilePacket = 37;
  bool is_heapprofd = false;
  WireReader fields(packet);
  while (fields.Next()) {
    if (fields.type() == WireReader::Type::kVarint) {
      *is_trusted |=
          fields.field() == kTrustedUid || fields.field() == kTrustedSequence;
    } else if (fields.type() == WireReader::Type::kBytes) {
      is_heapprofd |= fields.field() == kProfilePacket ||
                      (fields.field() == kTraceConfig &&
                       absl::StrContains(fields.bytes(), "android.heapprofd"));
    }
  }
  return fields.ok() && is_heapprofd;
}

// A perfetto trace consists of packets, which are fields with number 1. The
// last packet may be truncated.
bool DetectHeapprofd(string_view start, const std::string& /*path*/) {
  bool is_heapprofd = false;
  bool is_trusted = false;
  WireReader packets(start);
  while (packets.Next()) {
    if (packets.field() != 1 || packets.type() != WireReader::Type::kBytes) {
      return false;
    }
    is_heapprofd |= IsHeapprofdPacket(packets.bytes(), &is_trusted);
  }
  return is_heapprofd && is_trusted;
}

string_view FirstLogLine(string_view text) {
  return text.substr(0, text.find('\n'));
}

// Removes the prefixes that options of ltrace add to a call: the process, the
// time and the library.
void ConsumeLtracePrefix(string_view* line) {
  if (absl::StartsWith(*line, "[")) {
    const size_t end = line->find("] ");
    if (end != string_view::npos) line->remove_prefix(end + 2);
  }
  while (!line->empty() &&
         (absl::ascii_isdigit(static_cast<unsigned char>((*line)[0])) ||
          absl::StrContains(":. ", (*line)[0]))) {
    line->remove_prefix(1);
  }
  const size_t arrow = line->find("->");
  if (arrow < line->find('(')) line->remove_prefix(arrow + 2);
}

// Returns whether only ltrace can have written the line, because it is a call
// of a heap function, such as "malloc(1000)     = 0x55dc730ad4a0", or has a
// result in a form that only ltrace writes. All other lines of ltrace look like
// lines of strace.
bool IsLtraceCall(string_view line) {
  if (absl::EndsWith(line, " = <void>") || absl::EndsWith(line, " = nil")) {
    return true;
  }
  ConsumeLtracePrefix(&line);
  const string_view name = line.substr(0, line.find('('));
  constexpr string_view kNames[] = {"malloc",   "calloc", "realloc",
                                    "free",     "_Znwm",  "_ZdlPv",
                                    "memalign", "strdup", "posix_memalign"};
  return std::find(std::begin(kNames), std::end(kNames), name) !=
             std::end(kNames) &&
         (absl::StrContains(line, ") ") || absl::StrContains(line, "<unfin"));
}

// Returns whether a line is a call of any function in the format of ltrace.
bool IsLtraceFunction(string_view line) {
  ConsumeLtracePrefix(&line);
  const auto* const name_end =
      std::find_if_not(line.begin(), line.end(), [](char c) {
        return c == '_' || c == ':' ||
               absl::ascii_isalnum(static_cast<unsigned char>(c));
      });
  return name_end != line.begin() && name_end != line.end() && *name_end == '(';
}

bool DetectLtrace(string_view start, const std::string& /*path*/) {
  if (!IsLtraceFunction(FirstLogLine(start))) return false;
  const std::vector<string_view> lines = absl::StrSplit(start, '\n');
  return std::any_of(lines.begin(), lines.end(), IsLtraceCall);
}

// Returns whether a line is from a report of the program mtrace, such as "-
// 0x0000000000610010 Free 3 was never alloc'd 0x7f666babbfaa" (source:
// malloc/mtrace.pl of glibc).
bool IsMtraceReportLine(string_view line) {
  absl::ConsumeSuffix(&line, "\r");
  if (line == "Memory not freed:" || line == "No memory leaks.") return true;
  return (absl::StartsWith(line, "- 0x") &&
          absl::StrContains(line, " was never alloc'd ")) ||
         (absl::StartsWith(line, "+ 0x") &&
          absl::StrContains(line, " duplicate: "));
}

bool DetectMtraceReport(string_view start, const std::string& /*path*/) {
  return IsMtraceReportLine(
      FirstLogLine(absl::StripLeadingAsciiWhitespace(start)));
}

}  // namespace

const RecordingFormat kDhat = {
    {"dhat", "a profile of DHAT",
     "record with `valgrind --trace-malloc=yes --log-file=FILE`"},
    DetectDhat,
    nullptr,
};

const RecordingFormat kHeaptrackInterpreted = {
    {"heaptrack-interpreted", "a file of heaptrack without addresses",
     "record with `heaptrack --raw`"},
    DetectHeaptrackInterpreted,
    nullptr,
};

const RecordingFormat kMassif = {
    {"massif", "a profile of massif",
     "record with `valgrind --trace-malloc=yes --log-file=FILE`"},
    DetectMassif,
    nullptr,
};

const RecordingFormat kJemalloc = {
    {"jemalloc", "a heap profile of jemalloc", "record with `heaptrack --raw`"},
    DetectJemalloc,
    nullptr,
};

const RecordingFormat kGperftools = {
    {"gperftools", "a heap profile of gperftools (tcmalloc)",
     "record with `heaptrack --raw`"},
    DetectGperftools,
    nullptr,
};

const RecordingFormat kHeapprofd = {
    {"heapprofd", "a trace of perfetto's heapprofd",
     "record with `heaptrack --raw`, on Linux"},
    DetectHeapprofd,
    nullptr,
};

const RecordingFormat kLtrace = {
    {"ltrace", "a log of ltrace",
     "record with `valgrind --trace-malloc=yes --log-file=FILE`, since ltrace "
     "misses calls"},
    DetectLtrace,
    nullptr,
};

const RecordingFormat kMtraceReport = {
    {"mtrace-report", "a report of the program mtrace",
     "pass the log from which it was made, which MALLOC_TRACE names"},
    DetectMtraceReport,
    nullptr,
};

}  // namespace stowage::recordings
