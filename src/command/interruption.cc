// SPDX-License-Identifier: Apache-2.0
#include "src/command/interruption.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "stowage/io/write_file.h"

namespace stowage::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

constexpr char kSoFar[] = "interrupted: this is what was found so far";

// The state of the signal handler. It is global because a program has only one
// set of handlers.
std::atomic<bool> requested{false};
// The signal that was received, or 0 if no signal was received.
std::atomic<int> received{0};
std::atomic<bool> ending{false};
std::atomic<bool> finished{false};
// The thread that does the work.
pthread_t worker;
sem_t woken;
std::array<struct sigaction, kSignals.size()> before;

static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

// The state that the worker and the watcher thread share.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  AbortActions actions;
  bool delivering = false;
  bool abandoned = false;
};

// Returns the shared state. It is never destroyed, since a thread may outlive
// main.
Shared& GetShared() {
  static auto* const shared = new Shared;
  return *shared;
}

// Terminates the program as if the signal had no handler. Async-signal-safe.
void EndBySignal(int number) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Records the signal and wakes the watcher. If the command must be terminated
// immediately (`ending`), terminates it in the worker's thread. Only the worker
// writes files, so no further file can be opened in between.
void HandleSignal(int number) {
  const int error = errno;
  received = number;
  requested = true;
  if (ending && pthread_equal(pthread_self(), worker) != 0) {
    RemoveTemporaryFile();
    EndBySignal(number);
  } else if (ending) {
    pthread_kill(worker, number);
  }
  sem_post(&woken);
  errno = error;
}

void PrintMessage(const char* message) {
  // Removes a line of Progress from the terminal.
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
  std::fprintf(stderr, "stowage: %s\n", message);
}

// Prints the partial result on behalf of the worker, which will not finish.
void PrintPartialResult(const AbortActions& actions) {
  const std::string result =
      actions.partial_result ? actions.partial_result() : "";
  if (!result.empty() && !WriteFile("-", result).ok()) return;
  PrintMessage(result.empty() ? "interrupted" : kSoFar);
}

void CleanUp(AbortActions* actions) {
  if (actions->clean_up) actions->clean_up();
  *actions = AbortActions();
}

// Waits up to kGrace until the worker begins to deliver its results. Returns
// whether it does. If it does not, abandons the work and prints the partial
// result.
bool IsDelivered() {
  Shared& shared = GetShared();
  std::unique_lock<std::mutex> lock(shared.mutex);
  const auto is_delivering = [&] { return shared.delivering; };
  if (shared.changed.wait_for(lock, SignalHandler::kGrace, is_delivering)) {
    return true;
  }
  shared.abandoned = true;
  PrintPartialResult(shared.actions);
  return false;
}

void WaitUntilWoken() {
  while (sem_wait(&woken) != 0) {
  }
}

void WatchForSignals() {
  WaitUntilWoken();
  if (finished) return;
  if (IsDelivered()) {
    WaitUntilWoken();
    if (finished) return;
  }
  {
    Shared& shared = GetShared();
    const std::lock_guard<std::mutex> lock(shared.mutex);
    CleanUp(&shared.actions);
  }
  ending = true;
  pthread_kill(worker, received);
}

void InstallHandlers() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // A signal that is ignored stays ignored. This is the case for commands
    // that a script runs in the background.
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = HandleSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

}  // namespace

const std::atomic<bool>& InterruptionRequested() { return requested; }

void BeginDelivery() {
  Shared& shared = GetShared();
  std::unique_lock<std::mutex> lock(shared.mutex);
  // If the watcher has abandoned the work, it terminates the program, and this
  // wait does not return.
  shared.changed.wait(lock, [&] { return !shared.abandoned; });
  shared.delivering = true;
  shared.changed.notify_all();
}

void EndIfInterrupted() {
  if (!requested) return;
  PrintMessage(kSoFar);
  EndBySignal(received);
}

AbortGuard::AbortGuard(AbortActions actions) {
  Shared& shared = GetShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.actions = std::move(actions);
}

// Holds the lock during the clean-up. Since the watcher needs the lock as well,
// it cannot terminate the command in the meantime.
AbortGuard::~AbortGuard() {
  Shared& shared = GetShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  CleanUp(&shared.actions);
}

SignalHandler::SignalHandler() {
  GetShared().delivering = false;
  finished = false;
  ending = false;
  sem_init(&woken, 0, 0);
  worker = pthread_self();
  try {
    watcher_ = std::thread(WatchForSignals);
  } catch (const std::system_error&) {
    ending = true;  // the first signal then ends the command
  }
  InstallHandlers();
}

SignalHandler::~SignalHandler() {
  if (watcher_.joinable()) {
    BeginDelivery();
    finished = true;
    sem_post(&woken);
    watcher_.join();
  }
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before[i], nullptr);
  }
}

}  // namespace stowage::cli
