// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: a command that is asked to end does so at once, with what it has.
//
// SIGINT, SIGTERM and SIGHUP, unless ignored, set InterruptionRequested(). Work
// that can stop polls it, and what it has found is the answer of the command,
// which then ends by the signal, as shells expect. Work that cannot stop is
// given kGrace; after that a thread takes the actions of the AbortGuard, if
// there is one, and ends the command in the midst of the work, though never
// between making a file and renaming it. So does a second signal, whatever is
// going on.
//
// A verb that may work for long
//   - passes InterruptionRequested() to what can be cancelled,
//   - has an AbortGuard with a partial result around what cannot,
//   - has an AbortGuard with a clean-up for what would outlive the process, and
//   - calls BeginDelivery() once everything left stops soon or is short.
#ifndef STOWAGE_SRC_COMMAND_INTERRUPTION_H_
#define STOWAGE_SRC_COMMAND_INTERRUPTION_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace stowage::cli {

// True once the command has to end. The object is never destroyed.
const std::atomic<bool>& InterruptionRequested();

// From here on the first signal does not end the command, for what is left
// would be lost. Does not return if the command is being ended already.
void BeginDelivery();

// After the delivery: says that the command was interrupted and ends the
// program by the signal, if there was one.
void EndIfInterrupted();

struct AbortActions {
  // Returns what has been found so far, for standard output. Called at most
  // once, by another thread while the work goes on. May be null.
  std::function<std::string()> partial_result;
  // Releases what would outlive the process. Called exactly once: by the
  // destructor of the guard, or by another thread while the work goes on; the
  // command is not ended before it has returned. May be null.
  std::function<void()> clean_up;
};

// The actions to take if the command has to be ended in the scope of the
// object. One at a time.
class AbortGuard {
 public:
  explicit AbortGuard(AbortActions actions);
  ~AbortGuard();
  AbortGuard(const AbortGuard&) = delete;
  AbortGuard& operator=(const AbortGuard&) = delete;
};

// Handles the signals while the object exists. Made by the thread that does the
// work; one at a time. Where no thread can be started, signals end the program
// as if there were no handler.
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
