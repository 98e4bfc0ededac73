#include "src/cli/interruption.h"

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

#include "stowage/trace.h"

namespace stowage::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

constexpr char kSoFar[] = "interrupted: this is what was found so far";

// What the signal handler touches. Programs have one set of handlers, so there
// is one of each.
std::atomic<bool> requested{false};
std::atomic<int> received{0};  // the signal
std::atomic<bool> ending{false};
std::atomic<bool> finished{false};
pthread_t worker;  // who does the work
sem_t woken;
std::array<struct sigaction, kSignals.size()> before;

static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

// What the worker and the watcher tell each other.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<std::string()> last_words;
  std::function<void()> clean_up;
  bool delivering = false;
  bool abandoned = false;
};

// Never destroyed, for a thread may outlive the end of main.
Shared& TheShared() {
  static auto* const shared = new Shared;
  return *shared;
}

// Ends the program as if the signal had never been taken. Async-signal-safe.
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

// The worker holds signals back while it replaces a file, so in here it does
// not.
void Handle(int number) {
  const int error = errno;
  received = number;
  requested = true;
  if (ending && pthread_equal(pthread_self(), worker) != 0) EndBySignal(number);
  sem_post(&woken);
  errno = error;
}

void Say(const char* message) {
  // Progress may have left a line on the terminal.
  if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
  std::fprintf(stderr, "stowage: %s\n", message);
}

// Prints what there is in the place of the worker.
void SpeakLastWords(const Shared& shared) {
  const std::string words = shared.last_words ? shared.last_words() : "";
  if (!words.empty() && !WriteFile("-", words).ok()) return;
  Say(words.empty() ? "interrupted" : kSoFar);
}

// Whether the work is done or will be soon; or else it is given up.
bool IsDelivered() {
  Shared& shared = TheShared();
  std::unique_lock<std::mutex> lock(shared.mutex);
  const auto is_delivering = [&] { return shared.delivering; };
  if (shared.changed.wait_for(lock, SignalsTaken::kGrace, is_delivering)) {
    return true;
  }
  shared.abandoned = true;
  SpeakLastWords(shared);
  return false;
}

void WaitUntilWoken() {
  while (sem_wait(&woken) != 0) {
  }
}

void Watch() {
  WaitUntilWoken();
  if (finished) return;
  if (IsDelivered()) {
    WaitUntilWoken();
    if (finished) return;
  }
  {
    Shared& shared = TheShared();
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.clean_up) shared.clean_up();
    shared.clean_up = nullptr;
  }
  ending = true;
  pthread_kill(worker, received);
}

void TakeSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // Who started the command in the background wants it to go on.
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = Handle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

}  // namespace

const std::atomic<bool>& InterruptionRequested() { return requested; }

void BeginDelivery() {
  Shared& shared = TheShared();
  std::unique_lock<std::mutex> lock(shared.mutex);
  // The watcher has begun to speak, and ends the program when it is done.
  shared.changed.wait(lock, [&] { return !shared.abandoned; });
  shared.delivering = true;
  shared.changed.notify_all();
}

void EndIfRequested() {
  if (!requested) return;
  Say(kSoFar);
  EndBySignal(received);
}

LastWords::LastWords(std::function<std::string()> words) {
  Shared& shared = TheShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.last_words = std::move(words);
}

LastWords::~LastWords() {
  Shared& shared = TheShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.last_words = nullptr;
}

CleanUp::CleanUp(std::function<void()> clean) {
  Shared& shared = TheShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.clean_up = std::move(clean);
}

// The command is not ended between the two, for the watcher waits for the lock.
CleanUp::~CleanUp() {
  Shared& shared = TheShared();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.clean_up) shared.clean_up();
  shared.clean_up = nullptr;
}

SignalsTaken::SignalsTaken() {
  TheShared().delivering = false;
  finished = false;
  sem_init(&woken, 0, 0);
  worker = pthread_self();
  try {
    watcher_ = std::thread(Watch);
  } catch (const std::system_error&) {
    return;
  }
  TakeSignals();
}

SignalsTaken::~SignalsTaken() {
  if (!watcher_.joinable()) return;
  BeginDelivery();
  finished = true;
  sem_post(&woken);
  watcher_.join();
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before[i], nullptr);
  }
}

}  // namespace stowage::cli
