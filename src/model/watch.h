// SPDX-License-Identifier: Apache-2.0
// Watches one search. The watch asks the observer of the search whether to
// continue, and does so only on the thread that created the watch. It keeps the
// answer for all threads.
#ifndef STOWAGE_SRC_MODEL_WATCH_H_
#define STOWAGE_SRC_MODEL_WATCH_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>  // NOLINT(build/c++11): abseil has no numbers of threads

#include "src/base/work_limit.h"
#include "stowage/strategy.h"

namespace stowage {

// A watch is itself an observer. A part of a search can thus have a watch of
// its own, which asks the watch of the whole search.
class Watch final : public Observer {
 public:
  // The observer of the options may be null, and must outlive the watch. The
  // thread that creates the watch is the only one that calls the observer.
  explicit Watch(const SolveOptions& options);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Does nothing on any thread other than the one that created the watch.
  bool OnProgress(const SearchProgress& progress) override;

  // Returns whether the observer wants the search to continue. May be called on
  // any thread and as often as wanted, since the observer is asked at most once
  // in 2 ms.
  bool KeepGoing() override;

  // Returns the signal that is set once the observer ends the search, or once
  // this number of quarters of the time limit has passed. With a node budget,
  // there is no time limit. The watch must outlive the signal.
  StopSignal SignalAfter(int quarters = 4) const;

 private:
  using Clock = std::chrono::steady_clock;

  Observer* const observer_;
  const int64_t time_limit_ns_;  // is kNoTimeLimit with a node budget
  const Clock::time_point begin_ = Clock::now();
  const std::thread::id caller_ = std::this_thread::get_id();
  const std::function<bool()> is_unwanted_ = [this] { return !KeepGoing(); };
  Clock::time_point next_ = begin_;  // is used only by the thread of the caller
  std::atomic<bool> is_ended_{false};
};

// Asks another observer whether to go on, and reports no progress to it.
class WithoutProgress final : public Observer {
 public:
  explicit WithoutProgress(Observer* observer) : observer_(observer) {}
  bool KeepGoing() override {
    return observer_ == nullptr || observer_->KeepGoing();
  }

 private:
  Observer* const observer_;  // may be null
};

// Returns the nanoseconds that have passed since `begin`.
int64_t NanosecondsSince(std::chrono::steady_clock::time_point begin);

// Returns what remains of a time limit after `spent_ns` nanoseconds, at least
// 0. If there is no limit (kNoTimeLimit), returns kNoTimeLimit.
int64_t TimeLeft(int64_t limit_ns, int64_t spent_ns);

// Returns half of a time limit, or kNoTimeLimit if there is no limit.
int64_t HalfOf(int64_t limit_ns);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_WATCH_H_
