// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C. A command that is interrupted terminates immediately, with
// the results that it has so far.
//
// SIGINT, SIGTERM and SIGHUP, unless they are ignored, set
// InterruptionRequested(). Work that can be cancelled polls this flag. The
// command then prints the results found so far as its answer, and terminates by
// the signal, as shells expect. Work that cannot be cancelled has the time
// kGrace to finish. After that time, a thread runs the actions of the
// AbortGuard, if there is one, and terminates the command in the middle of the
// work. A second signal terminates the command in this way at any time. If the
// command is writing a file at that moment, this file is removed, and the file
// that it would have replaced remains.
//
// A verb whose work may take long
//
// - passes InterruptionRequested() to work that can be cancelled, or an
//   InterruptionObserver to a search,
// - holds an AbortGuard with a partial result during work that cannot be
//   cancelled,
// - holds an AbortGuard with a clean-up for things that would outlive the
//   process, and
// - calls BeginDelivery() once all remaining work is short or stops soon.
#ifndef STOWAGE_SRC_COMMAND_INTERRUPTION_H_
#define STOWAGE_SRC_COMMAND_INTERRUPTION_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "stowage/strategy.h"

namespace stowage::cli {

// Returns a flag that becomes true when the command has to stop. The flag is
// never destroyed.
const std::atomic<bool>& InterruptionRequested();

// Stops a search once the command has to stop.
class InterruptionObserver : public Observer {
 public:
  bool KeepGoing() override { return !InterruptionRequested(); }
};

// Declares that the results are about to be delivered. After this call, the
// first signal no longer terminates the command, since that would lose the
// results. Does not return if the command is already being terminated.
void BeginDelivery();

// If a signal was received, prints that the command was interrupted, and
// terminates the program by that signal. Must be called after the results have
// been delivered.
void EndIfInterrupted();

struct AbortActions {
  // Returns the results found so far, which are then written to standard
  // output. May be null. Called at most once, by another thread while the work
  // continues.
  std::function<std::string()> partial_result;
  // Releases things that would outlive the process. May be null. Called exactly
  // once: by the destructor of the guard, or by another thread while the work
  // continues. The command does not terminate before the function has returned.
  std::function<void()> clean_up;
};

// While this object exists, its actions are run if the command has to be
// terminated. Only one guard may exist at a time.
class AbortGuard {
 public:
  explicit AbortGuard(AbortActions actions);
  ~AbortGuard();
  AbortGuard(const AbortGuard&) = delete;
  AbortGuard& operator=(const AbortGuard&) = delete;
};

// Handles the signals while this object exists. The object must be created by
// the thread that does the work, and only one may exist at a time. If no thread
// can be started, the first signal terminates the command.
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
