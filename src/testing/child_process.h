// SPDX-License-Identifier: Apache-2.0
// Runs a program that may crash, hang, or print endlessly, within limits.
//
//   absl::StatusOr<ChildResult> result = RunChild({"ls", "-l"}, ChildLimits());
//
// For programs that plan, use ProgramPlanner (program_planner.h). For a program
// that keeps running and answers requests, use ServerProcess
// (server_process.h).
#ifndef STOWAGE_SRC_TESTING_CHILD_PROCESS_H_
#define STOWAGE_SRC_TESTING_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage::program {

// Allows another thread to kill the running child and to prevent further
// children from being started.
class ChildSlot {
 public:
  // Kills the child, if there is one, and waits until it has ended. Afterwards,
  // no child can be started.
  void Close();

 private:
  friend class Child;

  std::mutex mutex_;
  pid_t pid_ = 0;  // is 0 if no child is running
  bool is_closed_ = false;
};

struct ChildLimits {
  absl::Duration timeout = absl::Seconds(10);
  // The maximum number of bytes that the child may print to standard output and
  // standard error in total.
  size_t max_printed = size_t{1} << 20;
  // The child is killed soon after this function returns true. May be empty.
  std::function<bool()> is_cancelled;
  // A slot with which another thread can kill the child immediately, without
  // waiting until `is_cancelled` is polled. Not owned; may be null.
  ChildSlot* slot = nullptr;
};

struct ChildResult {
  enum class End {
    kExit,  // the program exited by itself with `code`
    // The program was terminated by signal `code`, which this library did not
    // send.
    kSignal,
    kTimeout,  // the program was killed after `timeout`
    // The program was killed because it printed more than `max_printed`.
    kOutputLimit,
    kStopped,  // the program was killed since the run was cancelled
    // The following values are used only for a ServerProcess.
    kAnswer,       // the server answered with `code` and keeps running
    kWrongOutput,  // the program was killed since it did not print one answer
  };
  // The phase in which the child ended: always kRun for RunChild. For a
  // ServerProcess, kStart before the server was ready, kRequest before it
  // answered the request, and kIdle after its last answer.
  enum class Phase { kRun, kStart, kRequest, kIdle };

  End end = End::kExit;
  Phase phase = Phase::kRun;
  int code = 0;
  // The last 4 KiB of output. For kAnswer, the message of the answer. For
  // kWrongOutput, a description of what is wrong.
  std::string printed;
};

// Runs a program with these words. The first word is the name of the program,
// which is searched for as in a shell. The child has its own process group, no
// standard input, the default action for SIGXFSZ, and the folder, environment
// and limits of the caller. When the child ends or is killed, the other
// processes of its group are killed as well. Errors: NotFound,
// PermissionDenied, ... as reported by the system, if the program cannot be
// started; Cancelled if the slot is closed.
absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits);

// Describes how the child ended, for messages, such as "exited with code 3".
std::string Describe(const ChildResult& result, const ChildLimits& limits);

// Returns the name of a signal, such as "signal 6 (Aborted)".
std::string SignalName(int number);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_CHILD_PROCESS_H_
