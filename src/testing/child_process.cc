// SPDX-License-Identifier: Apache-2.0
#include "src/testing/child_process.h"

#include <string.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/io/file_descriptor.h"
#include "src/testing/child.h"

namespace stowage::program {

absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits) {
  absl::StatusOr<Pipe> pipe = Pipe::Create();
  if (!pipe.ok()) return pipe.status();
  if (absl::Status s = SetNonBlocking(pipe->read_end); !s.ok()) return s;
  const int output = pipe->write_end.get();
  const auto child = Child::Start(words, {-1, output, output}, limits.slot);
  if (!child.ok()) return child.status();
  pipe->write_end = FileDescriptor();
  PrintedOutput printed(pipe->read_end.get(), limits.max_printed);
  PrintedOutput* const outputs[] = {&printed};
  const auto ended =
      AwaitChild(child->get(), outputs, limits, [] { return false; });
  if (!ended.ok()) return ended.status();
  ChildResult result = **ended;
  result.printed = printed.text();
  return result;
}

namespace {

absl::string_view PhaseText(ChildResult::Phase phase) {
  switch (phase) {
    case ChildResult::Phase::kRun:
      return "";
    case ChildResult::Phase::kStart:
      return " before it was ready";
    case ChildResult::Phase::kRequest:
      return " before it answered";
    case ChildResult::Phase::kIdle:
      return " after it had answered";
  }
  return "";
}

std::string TimeoutText(ChildResult::Phase phase, absl::Duration timeout) {
  const std::string time = absl::FormatDuration(timeout);
  switch (phase) {
    case ChildResult::Phase::kStart:
      return absl::StrCat("was not ready after ", time);
    case ChildResult::Phase::kRequest:
      return absl::StrCat("had not answered after ", time);
    default:
      return absl::StrCat("was still running after ", time);
  }
}

}  // namespace

std::string Describe(const ChildResult& result, const ChildLimits& limits) {
  switch (result.end) {
    case ChildResult::End::kExit:
      return absl::StrCat("exited with code ", result.code,
                          PhaseText(result.phase));
    case ChildResult::End::kSignal:
      return absl::StrCat("was ended by ", SignalName(result.code),
                          PhaseText(result.phase));
    case ChildResult::End::kTimeout:
      return TimeoutText(result.phase, limits.timeout);
    case ChildResult::End::kOutputLimit:
      return absl::StrCat("printed more than ", limits.max_printed, " bytes");
    case ChildResult::End::kStopped:
      return "was stopped";
    case ChildResult::End::kAnswer:
      return absl::StrCat("answered with code ", result.code);
    case ChildResult::End::kWrongOutput:
      return "broke the line protocol";
  }
  return "";
}

std::string SignalName(int number) {
  const char* const meaning = sigdescr_np(number);
  return absl::StrCat("signal ", number, " (",
                      meaning != nullptr ? meaning : "unknown", ")");
}

}  // namespace stowage::program
