// SPDX-License-Identifier: Apache-2.0
// Reads the logs of `valgrind --trace-malloc=yes`, for every tool that has this
// option. A log has one address space for each process, and one more for each
// further program that a process executes. Other messages of valgrind, and the
// output of the program itself, may be between the calls or in the same lines.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/line_source.h"
#include "src/recordings/malloc_events.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/valgrind_call.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_source.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

// Limits the memory that is needed for a log in addition to the memory for its
// blocks.
constexpr size_t kMaxValgrindProcesses = size_t{1} << 16;

// The maximum number of calls without a result so far. Each thread has at most
// one such call.
constexpr size_t kMaxOpenCalls = size_t{1} << 12;

// The heap of a program: its events, and the calls for which no result has been
// read.
class ValgrindHeap {
 public:
  // `is_glued` must be true if the call directly follows the text of another
  // call.
  void Begin(const ValgrindCall& call, bool is_glued) {
    repeated_.reset();
    if (call.kind == ValgrindCall::Kind::kFree) return Free(call, is_glued);
    if (call.fails) return;
    // A realloc of the null pointer calls malloc. Only that malloc writes a
    // result, so the open realloc is dropped.
    if (is_glued && !open_.empty() && IsMallocOf(open_.back(), call)) {
      open_.pop_back();
    }
    if (open_.size() == kMaxOpenCalls) open_.erase(open_.begin());
    open_.push_back(call);
  }

  // Ends the call that began last. This may be the wrong call: while one thread
  // is in a call, another thread may begin and end calls, and a result does not
  // state to which call it belongs.
  void End(uint64_t result) {
    if (repeated_ == result) {
      repeated_.reset();
      return;
    }
    if (open_.empty()) return;
    const ValgrindCall call = open_.back();
    open_.pop_back();
    if (!open_.empty() && result != 0) ++uncertain_results_;
    if (call.kind == ValgrindCall::Kind::kReallocTwice) repeated_ = result;
    if (call.address != 0 && (result != 0 || call.size == 0)) {
      events_.Free(call.address);
    }
    if (result == 0) return;
    FreeInOpenCalls(result);
    events_.Alloc(result, call.size, call.alignment);
  }

  // Ends the call that began last, for which the log has no result.
  void EndSilently(const ValgrindCall& call) {
    open_.pop_back();
    if (call.kind == ValgrindCall::Kind::kSilentAlloc) ++silent_allocs_;
  }

  uint64_t count() const { return events_.count(); }

  RecordingPart ToPart(const std::string& name, const RecordingOptions& options,
                       std::string remark) {
    if (silent_allocs_ > 0) {
      absl::StrAppend(&remark, remark.empty() ? "" : "; ", silent_allocs_,
                      silent_allocs_ == 1 ? " call" : " calls",
                      " of aligned_alloc or posix_memalign left out, "
                      "whose addresses are not in the log");
    }
    if (uncertain_results_ > 0) {
      absl::StrAppend(&remark, remark.empty() ? "" : "; ", uncertain_results_,
                      uncertain_results_ == 1 ? " result" : " results",
                      " among calls of several threads, each taken for "
                      "the call that began last");
    }
    return events_.ToPart(name, options, remark);
  }

 private:
  static bool IsMallocOf(const ValgrindCall& outer, const ValgrindCall& inner) {
    return (outer.kind == ValgrindCall::Kind::kRealloc ||
            outer.kind == ValgrindCall::Kind::kReallocTwice) &&
           outer.address == 0 && inner.kind == ValgrindCall::Kind::kAlloc &&
           inner.size == outer.size;
  }

  void Free(const ValgrindCall& call, bool is_glued) {
    if (call.address == 0) return;
    // A realloc to a size of 0 calls free and then returns 0. The block is
    // freed here, so it must not be freed again at the end of the realloc.
    if (is_glued && !open_.empty() && open_.back().size == 0 &&
        open_.back().address == call.address) {
      open_.back().address = 0;
    }
    events_.Free(call.address);
  }

  // Adds a free of the block of an open realloc if another thread has received
  // the address of the block. In this case, the program has already freed the
  // block, but the result of the realloc is not yet in the log.
  void FreeInOpenCalls(uint64_t address) {
    for (ValgrindCall& call : open_) {
      if (call.address != address) continue;
      events_.Free(address);
      call.address = 0;
    }
  }

  MallocEvents events_;
  std::vector<ValgrindCall> open_;
  optional<uint64_t> repeated_;  // the result that may be written once more
  size_t silent_allocs_ = 0;
  // The number of results that were read while several calls were open. The log
  // does not state which of these calls has the result.
  size_t uncertain_results_ = 0;
};

// Returns whether the text after a mark is a call or the result of a call.
bool IsValgrindTrace(string_view text) {
  string_view rest = text;
  if (TakeValgrindResult(&rest).has_value()) return true;
  return IsValgrindAllocator(TakeValgrindCallText(&text));
}

// Removes everything up to the end of the mark from a line, and returns the
// mark. The line may begin with output of the program that does not end with a
// newline.
optional<ValgrindMark> FindValgrindMark(string_view* line) {
  if (auto mark = TakeValgrindMark(line); mark.has_value()) return mark;
  for (size_t at = line->find("--"); at != string_view::npos;
       at = line->find("--", at + 1)) {
    string_view rest = line->substr(at);
    const optional<ValgrindMark> mark = TakeValgrindMark(&rest);
    if (mark.has_value() && IsValgrindTrace(rest)) {
      *line = rest;
      return mark;
    }
  }
  return nullopt;
}

class ValgrindReader {
 public:
  ValgrindReader(LineSource* lines, const RecordingOptions& options)
      : lines_(lines), options_(options) {}

  StatusOr<std::vector<RecordingPart>> Read() {
    while (true) {
      const StatusOr<optional<string_view>> line = lines_->Next();
      if (!line.ok()) return line.status();
      if (!line->has_value()) break;
      if (const Status status = ReadLine(**line); !status.ok()) return status;
    }
    std::vector<RecordingPart> parts;
    for (Process& process : processes_) {
      if (process.heap.count() == 0) continue;
      parts.push_back(
          process.heap.ToPart(process.name, options_, process.remark));
    }
    if (parts.empty()) {
      return lines_->Error(
          "ends a log without allocations; expected a log of valgrind "
          "--trace-malloc=yes");
    }
    return parts;
  }

 private:
  struct Process {
    std::string name;
    std::string remark = {};
    ValgrindHeap heap = {};
  };

  Status ReadLine(string_view line) {
    const optional<ValgrindMark> mark = FindValgrindMark(&line);
    if (!mark.has_value()) return absl::OkStatus();
    if (!mark->is_debug) {
      if (absl::StartsWith(line, "Command: ")) EndProgram(mark->process);
      return absl::OkStatus();
    }
    if (!IsValgrindTrace(line)) return absl::OkStatus();
    const StatusOr<Process*> process = ProcessOf(mark->process);
    if (!process.ok()) return process.status();
    if (!lines_->is_whole()) {
      (*process)->remark = CutLineRemark(lines_->line());
      return absl::OkStatus();
    }
    return ReadCalls(line, &(*process)->heap);
  }

  // Reads the calls and results in a line. Stops at any other text, such as a
  // warning about an argument.
  Status ReadCalls(string_view line, ValgrindHeap* heap) {
    bool is_glued = false;
    while (!line.empty()) {
      if (const auto result = TakeValgrindResult(&line); result.has_value()) {
        heap->End(*result);
        is_glued = false;
        continue;
      }
      const string_view text = TakeValgrindCallText(&line);
      if (!IsValgrindAllocator(text)) {
        // For functions that measure a block, the result directly follows the
        // call.
        if (text.empty() || !TakeValgrindResult(&line).has_value()) break;
        continue;
      }
      const optional<ValgrindCall> call = ParseValgrindCall(text);
      if (!call.has_value()) {
        return lines_->Error(absl::StrCat(
            Quoted(text),
            " is not a call; expected the arguments of this function"));
      }
      heap->Begin(*call, is_glued);
      if (call->kind == ValgrindCall::Kind::kSilentAlloc && !call->fails &&
          !absl::StartsWith(line, " = ")) {
        heap->EndSilently(*call);
      }
      is_glued = true;
    }
    return absl::OkStatus();
  }

  StatusOr<Process*> ProcessOf(uint64_t number) {
    const auto [entry, is_new] = current_.emplace(number, processes_.size());
    if (is_new) {
      if (processes_.size() == kMaxValgrindProcesses) {
        return lines_->Error(
            absl::StrCat("is of one process too many; expected", " at most ",
                         kMaxValgrindProcesses));
      }
      const size_t programs = ++programs_[number];
      processes_.push_back({programs == 1
                                ? absl::StrCat(number)
                                : absl::StrCat(number, "/", programs)});
    }
    return &processes_[entry->second];
  }

  // Ends a program because its process executes another program. The process
  // then has a new heap.
  void EndProgram(uint64_t number) { current_.erase(number); }

  LineSource* lines_;
  const RecordingOptions& options_;
  std::vector<Process> processes_;
  // For each process number, current_ has the index of the current heap in
  // processes_, and programs_ has the number of programs so far.
  std::unordered_map<uint64_t, size_t> current_;
  std::unordered_map<uint64_t, size_t> programs_;
};

StatusOr<std::vector<RecordingPart>> ReadValgrind(
    RecordingInput* input, const RecordingOptions& options) {
  const std::unique_ptr<ByteSource> source = input->Open();
  LineSource lines(source.get(), input->name());
  return ValgrindReader(&lines, options).Read();
}

// The log may lack the banner of valgrind, and may begin with output of the
// program.
bool DetectValgrind(string_view start, const std::string& /*path*/) {
  while (!start.empty()) {
    const size_t end = start.find('\n');
    string_view line = start.substr(0, end);
    if (const auto mark = TakeValgrindMark(&line); mark.has_value()) {
      if (mark->is_debug ? IsValgrindTrace(line)
                         : absl::StartsWith(line, "Using Valgrind-")) {
        return true;
      }
    }
    if (end == string_view::npos) break;
    start.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

const RecordingFormat kValgrind = {
    {"valgrind", "a log of valgrind --trace-malloc=yes", "",
     /*has_events=*/true},
    DetectValgrind,
    ReadValgrind,
};

}  // namespace stowage::recordings
