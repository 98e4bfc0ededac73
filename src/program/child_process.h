// Runs a program that may do anything: crash, hang, talk without end.
#ifndef STOWAGE_SRC_PROGRAM_CHILD_PROCESS_H_
#define STOWAGE_SRC_PROGRAM_CHILD_PROCESS_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage::program {

// Where another thread finds the child that runs.
class ChildSlot {
 public:
  // Kills the child, if there is one. None is started from here on.
  void Close();

 private:
  friend class Child;

  std::mutex mutex_;
  pid_t pid_ = 0;  // 0: none runs
  bool is_closed_ = false;
};

struct ChildLimits {
  absl::Duration timeout = absl::Seconds(10);
  // Bytes that it may print, standard output and standard error together.
  size_t max_printed = size_t{1} << 20;
  // The child is ended soon after this is true. Not owned; may be null.
  const std::atomic<bool>* stop = nullptr;
  // For who cannot wait for that. Not owned; may be null.
  ChildSlot* slot = nullptr;
};

struct ChildResult {
  enum class End {
    kExit,          // by itself, with `code`
    kSignal,        // by a signal that was not ours: `code`
    kTimeout,       // killed: it ran too long
    kTooTalkative,  // killed: it printed too much
    kStopped,       // killed: nobody wants it any more
  };

  End end = End::kExit;
  int code = 0;
  std::string printed;  // the last 4 KiB
};

// Runs the program that the first word names, found as shells find it, with
// these words. It has a process group of its own, no standard input, and the
// folder, environment and limits of the caller. When it ends or is ended, so is
// what is left of its group. Errors: NotFound, PermissionDenied, ... as the
// system reports it, if it cannot be started; Cancelled if the slot is closed.
absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits);

// How it ended, for messages: "exited with code 3".
std::string Describe(const ChildResult& result, const ChildLimits& limits);

// "signal 6 (Aborted)"
std::string SignalName(int number);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_PROGRAM_CHILD_PROCESS_H_
