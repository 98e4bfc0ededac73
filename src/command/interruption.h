// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C. A command that is asked to end does so at once, with the
// results that it has so far.
//
// SIGINT, SIGTERM and SIGHUP, unless they are ignored, set
// InterruptionRequested(). Work that can be cancelled polls it. The command
// then prints the results found so far as its answer, and ends by the signal,
// as shells expect. Work that cannot be cancelled has the time kGrace to
// finish. After that time, a thread runs the actions of the AbortGuard, if
// there is one, and ends the command in the middle of the work. A second signal
// ends the command in this way at any time. If the command is writing a file
// when it is ended, this file is removed, and the file that it would have
// replaced remains.
//
// A verb that may work for long
//   - passes InterruptionRequested() to work that can be cancelled, or an
//     InterruptionObserver to a search,
//   - holds an AbortGuard with a partial result around work that cannot be
//     cancelled,
//   - holds an AbortGuard with a clean-up for things that would outlive the
//     process, and
//   - calls BeginDelivery() once all remaining work is short or stops soon.
#ifndef STOWAGE_SRC_COMMAND_INTERRUPTION_H_
#define STOWAGE_SRC_COMMAND_INTERRUPTION_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "stowage/strategy.h"

namespace stowage::cli {

// Returns a flag that becomes true when the command has to end. The flag is
// never destroyed.
const std::atomic<bool>& InterruptionRequested();

// Ends a search once the command has to end.
class InterruptionObserver : public Observer {
 public:
  bool KeepGoing() override { return !InterruptionRequested(); }
};

// Declares that the results are about to be delivered. From then on, the first
// signal no longer ends the command, since that would lose the results. Does
// not return if the command is already being ended.
void BeginDelivery();

// If a signal was received, prints that the command was interrupted, and ends
// the program by that signal. Must be called after the results have been
// delivered.
void EndIfInterrupted();

struct AbortActions {
  // A function that returns the results found so far, which are written to
  // standard output. It may be null. Another thread calls it, at most once,
  // while the work continues.
  std::function<std::string()> partial_result;
  // A function that releases things that would outlive the process. It may be
  // null. It is called exactly once: by the destructor of the guard, or by
  // another thread while the work continues. The command does not end before
  // the function returns.
  std::function<void()> clean_up;
};

// While the object exists, its actions are run if the command has to be ended.
// Only one guard may exist at a time.
class AbortGuard {
 public:
  explicit AbortGuard(AbortActions actions);
  ~AbortGuard();
  AbortGuard(const AbortGuard&) = delete;
  AbortGuard& operator=(const AbortGuard&) = delete;
};

// Handles the signals while the object exists. The thread that does the work
// must create the object, and only one may exist at a time. If no thread can be
// started, the first signal ends the command.
class SignalHandler {
 public:
  static constexpr std::chrono::milliseconds kGrace{50};

  SignalHandler();
  ~SignalHandler();
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

 private:
  std::thread watcher_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_INTERRUPTION_H_
