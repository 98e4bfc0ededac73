// Ctrl-C: a command that is asked to end does so at once, with what it has.
//
// SIGINT, SIGTERM and SIGHUP, unless ignored, set InterruptionRequested(). Work
// that can stop looks at it, and what it has found is the answer of the
// command, which then ends by the signal, as shells expect. Work that cannot
// stop is given kGrace; after that a thread prints the last words, if there are
// any, and ends the command in the midst of it, though never between making a
// file and renaming it. So does a second signal, whatever goes on. What must
// not be left behind even so is for CleanUp.
//
// A verb whose work can be long
//   - hands InterruptionRequested() to what can be cancelled,
//   - has LastWords for the time of what cannot, and
//   - calls BeginDelivery() once all that is left stops soon or is short.
#ifndef STOWAGE_SRC_CLI_INTERRUPTION_H_
#define STOWAGE_SRC_CLI_INTERRUPTION_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace stowage::cli {

// True once the command shall end. The object lives for ever.
const std::atomic<bool>& InterruptionRequested();

// From here on the first signal does not end the command, since what is left
// would be lost. If it is too late for that, does not return.
void BeginDelivery();

// Once all is delivered: says so and ends the program by the signal, if there
// was one.
void EndIfRequested();

// For standard output, if work that does not stop has to be ended.
class LastWords {
 public:
  // `words` is called by another thread, while the work goes on.
  explicit LastWords(std::function<std::string()> words);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

// What is done at the end of a scope, or before the command is ended in it.
class CleanUp {
 public:
  // `clean` is called once: here, or by another thread while the work goes on.
  explicit CleanUp(std::function<void()> clean);
  ~CleanUp();
  CleanUp(const CleanUp&) = delete;
  CleanUp& operator=(const CleanUp&) = delete;
};

// Takes the signals for as long as it lives. Made by the thread that does the
// work; one at a time. Where no thread can be started, signals end the program
// as if this were not there.
class SignalsTaken {
 public:
  static constexpr std::chrono::milliseconds kGrace{50};

  SignalsTaken();
  ~SignalsTaken();
  SignalsTaken(const SignalsTaken&) = delete;
  SignalsTaken& operator=(const SignalsTaken&) = delete;

 private:
  std::thread watcher_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_INTERRUPTION_H_
