// SPDX-License-Identifier: Apache-2.0
#include "src/base/run_on_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>  // NOLINT(build/c++11): waits with a limit
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>  // NOLINT(build/c++11): held for an assignment
#include <new>
#include <system_error>
#include <thread>  // NOLINT(build/c++11): abseil has no threads
#include <vector>

namespace stowage {
namespace {

#ifdef __cpp_exceptions

// Calls `work` and catches any exception that it throws, to be rethrown later.
class GuardedWork {
 public:
  explicit GuardedWork(const std::function<void()>& work) : work_(work) {}

  void operator()() {
    try {
      work_();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      thrown_ = std::current_exception();
    }
  }

  void Rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<void()>& work_;
  std::mutex mutex_;
  std::exception_ptr thrown_;  // is guarded by mutex_
};

// Adds threads that call `guarded` until there are `count` threads, or until
// the system cannot create another one.
void StartThreads(size_t count, GuardedWork* guarded,
                  std::vector<std::thread>* threads) {
  try {
    while (threads->size() < count) {
      threads->emplace_back([guarded] { (*guarded)(); });
    }
  } catch (const std::system_error&) {
    // The system cannot create another thread; the existing threads do all the
    // work.
  } catch (const std::bad_alloc&) {
    // Here, too, the existing threads do all the work.
  }
}

#else  // without exceptions: a lack of memory or of threads ends the program

class GuardedWork {
 public:
  explicit GuardedWork(const std::function<void()>& work) : work_(work) {}
  void operator()() { work_(); }
  void Rethrow() const {}

 private:
  const std::function<void()>& work_;
};

void StartThreads(size_t count, GuardedWork* guarded,
                  std::vector<std::thread>* threads) {
  while (threads->size() < count) {
    threads->emplace_back([guarded] { (*guarded)(); });
  }
}

#endif

// Counts how many calls of the work have finished.
class FinishedCalls {
 public:
  // Represents one call, which is counted when this object is destroyed, and
  // thus even if the call throws.
  class Call {
   public:
    explicit Call(FinishedCalls* finished) : finished_(finished) {}
    ~Call() {
      const std::lock_guard<std::mutex> lock(finished_->mutex_);
      ++finished_->count_;
      finished_->changed_.notify_one();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    FinishedCalls* finished_;
  };

  // Waits until `count` calls have finished, but for at most a few
  // milliseconds. Returns whether they have finished.
  bool WaitFor(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(4),
                             [&] { return count_ == count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t count_ = 0;  // is guarded by mutex_
};

}  // namespace

void RunOnThreads(size_t threads, const StopSignal* stop,
                  const std::function<void()>& work) {
  FinishedCalls finished;
  const std::function<void()> counted = [&work, &finished] {
    const FinishedCalls::Call call(&finished);
    work();
  };
  GuardedWork guarded(counted);
  std::vector<std::thread> helpers;
  // Checking the signal may call an observer, which may throw while the helpers
  // are still working; GuardedWork catches this exception. Creating the
  // function object allocates memory and may throw as well, so it is created
  // before any thread that would have to be joined.
  const std::function<void()> poll = [&] {
    while (stop != nullptr && !finished.WaitFor(helpers.size() + 1)) {
      (void)stop->IsSet();
    }
  };
  GuardedWork polling(poll);
  StartThreads(std::max<size_t>(threads, 1) - 1, &guarded, &helpers);
  guarded();
  polling();
  for (std::thread& helper : helpers) helper.join();
  guarded.Rethrow();
  polling.Rethrow();
}

void RunEachOnThreads(size_t threads, size_t count, const StopSignal* stop,
                      const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  RunOnThreads(std::min(threads, count), stop, [&] {
    for (size_t k = next++; k < count; k = next++) work(k);
  });
}

}  // namespace stowage
