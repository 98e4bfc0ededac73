// SPDX-License-Identifier: Apache-2.0
// Runs a program that may crash, hang, or print without end, within limits.
//
//   absl::StatusOr<ChildResult> result = RunChild({"ls", "-l"}, ChildLimits());
//
// For programs that plan, use ProgramPlanner (program_planner.h); for one that
// runs on and answers requests, ServerProcess (server_process.h).
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

// Lets another thread kill the running child, and keep others from starting.
class ChildSlot {
 public:
  // Kills the child, if there is one, and waits until it has ended. None is
  // started from here on.
  void Close();

 private:
  friend class Child;

  std::mutex mutex_;
  pid_t pid_ = 0;  // 0: none is running
  bool is_closed_ = false;
};

struct ChildLimits {
  absl::Duration timeout = absl::Seconds(10);
  // Bytes that it may print, standard output and standard error together.
  size_t max_printed = size_t{1} << 20;
  // The child is stopped soon after this returns true; may be empty.
  std::function<bool()> is_cancelled;
  // For threads that cannot wait for that. Not owned; may be null.
  ChildSlot* slot = nullptr;
};

struct ChildResult {
  enum class End {
    kExit,         // by itself, with `code`
    kSignal,       // by a signal that was not ours: `code`
    kTimeout,      // killed: it ran longer than `timeout`
    kOutputLimit,  // killed: it printed more than `max_printed`
    kStopped,      // killed: it was cancelled
    // Only for a ServerProcess:
    kAnswer,       // it runs on, and has answered with `code`
    kWrongOutput,  // killed: it printed something else than one answer
  };
  // When that was; of a ServerProcess before it was ready, before it answered,
  // or after it had answered the request before.
  enum class Phase { kRun, kStart, kRequest, kIdle };

  End end = End::kExit;
  Phase phase = Phase::kRun;
  int code = 0;
  // The last 4 KiB; of an answer its message, of wrong output what is wrong.
  std::string printed;
};

// Runs the program that the first word names, found as shells find it, with
// these words. It has a process group of its own, no standard input, the
// default action for SIGXFSZ, and the folder, environment and limits of the
// caller. When it ends or is ended, the rest of its group is killed. Errors:
// NotFound, PermissionDenied, ... as the system reports it, if it cannot be
// started; Cancelled if the slot is closed.
absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits);

// How it ended, for messages: "exited with code 3".
std::string Describe(const ChildResult& result, const ChildLimits& limits);

// "signal 6 (Aborted)"
std::string SignalName(int number);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_CHILD_PROCESS_H_
