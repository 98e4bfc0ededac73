// SPDX-License-Identifier: Apache-2.0
#include "src/testing/server_process.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/io/file_descriptor.h"
#include "src/testing/child.h"
#include "src/testing/child_process.h"
#include "src/testing/signal_blocked.h"
#include "stowage/base/text.h"

namespace stowage::program {
namespace {

using End = ChildResult::End;
using Phase = ChildResult::Phase;

constexpr absl::string_view kReady = "ready";

ChildResult WrongOutput(Phase phase, std::string what) {
  ChildResult result;
  result.end = End::kWrongOutput;
  result.phase = phase;
  result.printed = std::move(what);
  return result;
}

// Parses an answer from a line of output.
ChildResult ParseAnswer(absl::string_view line) {
  constexpr size_t kDigits = 3;
  constexpr int kMaxCode = 255;
  const size_t blank = std::min(line.find(' '), line.size());
  const absl::string_view code = line.substr(0, blank);
  ChildResult answer;
  answer.end = End::kAnswer;
  answer.phase = Phase::kRequest;
  const bool is_number =
      !code.empty() && code.size() <= kDigits &&
      std::all_of(code.begin(), code.end(), absl::ascii_isdigit) &&
      absl::SimpleAtoi(code, &answer.code) && answer.code <= kMaxCode;
  if (!is_number) {
    return WrongOutput(Phase::kRequest,
                       absl::StrCat(Quoted(line),
                                    " is not an answer; expected an exit code, "
                                    "0 to 255, and after a blank a message if "
                                    "there is one"));
  }
  answer.printed = std::string(
      absl::StripAsciiWhitespace(line.substr(std::min(blank, line.size()))));
  return answer;
}

}  // namespace

// A process that has been started, and its pipes.
struct ServerProcess::Running {
  Running(Pipe in, Pipe out, Pipe err, const ChildLimits& limits)
      : input(std::move(in)),
        output_pipe(std::move(out)),
        errors_pipe(std::move(err)),
        output(output_pipe.read_end.get(), limits.max_printed,
               std::numeric_limits<size_t>::max()),
        errors(errors_pipe.read_end.get(), limits.max_printed) {}

  // Returns whether the program has not read any byte of the last request.
  bool IsRequestUnread() const {
    int unread = 0;
    return ioctl(input.write_end.get(), FIONREAD, &unread) == 0 &&
           static_cast<size_t>(std::max(unread, 0)) >= sent;
  }

  Pipe input;
  size_t sent = 0;  // bytes of the last request that are in the pipe, or read
  Pipe output_pipe;
  Pipe errors_pipe;
  PrintedOutput output;
  PrintedOutput errors;
  std::unique_ptr<Child> child;  // is destroyed first
};

ServerProcess::ServerProcess(std::vector<std::string> words, ChildLimits limits)
    : words_(std::move(words)), limits_(std::move(limits)) {}

ServerProcess::~ServerProcess() = default;

absl::Status ServerProcess::Start() {
  std::vector<Pipe> pipes;
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<Pipe> pipe = Pipe::Create();
    if (!pipe.ok()) return pipe.status();
    pipes.push_back(*std::move(pipe));
  }
  auto running = std::make_unique<Running>(
      std::move(pipes[0]), std::move(pipes[1]), std::move(pipes[2]), limits_);
  for (const FileDescriptor* ours :
       {&running->input.write_end, &running->output_pipe.read_end,
        &running->errors_pipe.read_end}) {
    if (absl::Status s = SetNonBlocking(*ours); !s.ok()) return s;
  }
  auto child = Child::Start(
      words_,
      {running->input.read_end.get(), running->output_pipe.write_end.get(),
       running->errors_pipe.write_end.get()},
      limits_.slot);
  if (!child.ok()) return child.status();
  running->child = *std::move(child);
  running->input.read_end = FileDescriptor();
  running->output_pipe.write_end = FileDescriptor();
  running->errors_pipe.write_end = FileDescriptor();
  running_ = std::move(running);
  return absl::OkStatus();
}

absl::StatusOr<ChildResult> ServerProcess::Ask(absl::string_view request) {
  absl::StatusOr<ChildResult> result = AskRunning(request);
  if (!result.ok() || result->end != End::kAnswer) running_.reset();
  return result;
}

absl::StatusOr<ChildResult> ServerProcess::AskRunning(
    absl::string_view request) {
  if (running_) {
    absl::StatusOr<ChildResult> idle = PollIdle();
    if (!idle.ok() || idle->end != End::kAnswer) return idle;
  }
  if (!running_) {
    if (absl::Status s = Start(); !s.ok()) return s;
    absl::StatusOr<ChildResult> ready = AwaitLine(Phase::kStart);
    if (!ready.ok() || ready->end != End::kAnswer) return ready;
    has_been_ready_ = true;
    return Send(request);
  }
  absl::StatusOr<ChildResult> result = Send(request);
  const bool is_exit =
      result.ok() && result->end == End::kExit && result->code == 0;
  if (!is_exit || !running_->IsRequestUnread() ||
      !running_->output.text().empty()) {
    return result;
  }
  // The program did not read the request, so it ended after its last answer.
  running_.reset();
  return AskRunning(request);
}

// Checks what the program has done since its last answer. If it has done
// nothing, or has ended with exit code 0, returns kAnswer; in the second case,
// also sets `running_` to null. Otherwise returns how the program ended, or
// kWrongOutput with the output that it has printed.
absl::StatusOr<ChildResult> ServerProcess::PollIdle() {
  ChildResult result;
  result.end = End::kAnswer;
  absl::StatusOr<absl::optional<ChildResult>> ended =
      running_->child->PollEnd();
  if (!ended.ok()) return ended.status();
  running_->output.ReadAvailable();
  if (!running_->output.text().empty()) {
    return WrongOutput(Phase::kIdle,
                       absl::StrCat(Quoted(running_->output.text()),
                                    " was printed without a request; expected "
                                    "one line for each"));
  }
  if (!ended->has_value()) return result;
  const bool is_allowed = (*ended)->end == End::kExit && (*ended)->code == 0;
  if (!is_allowed) {
    running_->errors.ReadAvailable();
    result = **std::move(ended);
    result.phase = Phase::kIdle;
    result.printed = running_->errors.text();
  }
  running_.reset();
  return result;
}

absl::StatusOr<ChildResult> ServerProcess::Send(absl::string_view request) {
  running_->errors.Clear();
  running_->sent = 0;
  const std::string line = absl::StrCat(request, "\n");
  absl::string_view rest = line;
  const SignalBlocked blocked(SIGPIPE);
  while (!rest.empty()) {
    const ssize_t count =
        write(running_->input.write_end.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    // The program has ended or has closed its input, so it will not answer.
    if (count < 0 && errno == EPIPE) return AwaitEndOfClosed(Phase::kRequest);
    if (count < 0 && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, "a request cannot be sent");
    }
    if (count < 0) {
      return WrongOutput(Phase::kRequest,
                         "the requests that it was sent have not been read; "
                         "expected one to be read before it is answered");
    }
    rest.remove_prefix(static_cast<size_t>(count));
    running_->sent += static_cast<size_t>(count);
  }
  return AwaitLine(Phase::kRequest);
}

// Waits for the next line of the program, which must be all of its output: an
// answer or, in phase kStart, "ready".
absl::StatusOr<ChildResult> ServerProcess::AwaitLine(Phase phase) {
  PrintedOutput& output = running_->output;
  PrintedOutput* const outputs[] = {&output, &running_->errors};
  const auto is_done = [&] {
    return output.has_ended() || absl::StrContains(output.text(), '\n');
  };
  auto ended = AwaitChild(running_->child.get(), outputs, limits_, is_done);
  if (!ended.ok()) return ended.status();
  if (ended->has_value()) {
    ChildResult result = **std::move(ended);
    result.phase = phase;
    result.printed = running_->errors.text();
    return result;
  }
  const std::string text = output.text();
  const size_t end = text.find('\n');
  if (end == std::string::npos) return AwaitEndOfClosed(phase);
  output.Clear();
  if (end + 1 < text.size()) {
    return WrongOutput(
        phase, absl::StrCat(Quoted(text.substr(end + 1)), " follows the line ",
                            Quoted(text.substr(0, end)),
                            "; expected one line for each request"));
  }
  const absl::string_view line = absl::string_view(text).substr(0, end);
  if (phase == Phase::kRequest) {
    ChildResult answer = ParseAnswer(line);
    // If the answer has no message, use the text on standard error.
    if (answer.end == End::kAnswer && answer.printed.empty()) {
      answer.printed = running_->errors.text();
    }
    return answer;
  }
  if (line != kReady) {
    return WrongOutput(phase, absl::StrCat("its first line is ", Quoted(line)));
  }
  ChildResult ready;
  ready.end = End::kAnswer;
  return ready;
}

// Waits up to a second for a program that is expected to end, and returns how
// it ended.
absl::StatusOr<ChildResult> ServerProcess::AwaitEndOfClosed(Phase phase) {
  ChildLimits limits = limits_;
  limits.timeout = std::min(limits.timeout, absl::Seconds(1));
  PrintedOutput* const outputs[] = {&running_->output, &running_->errors};
  auto ended =
      AwaitChild(running_->child.get(), outputs, limits, [] { return false; });
  if (!ended.ok()) return ended.status();
  ChildResult result = **std::move(ended);
  if (result.end == End::kTimeout) {
    return WrongOutput(phase,
                       "its standard input or output is closed; expected it to "
                       "read requests and print answers");
  }
  result.phase = phase;
  result.printed = running_->errors.text();
  return result;
}

}  // namespace stowage::program
