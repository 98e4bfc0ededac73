// SPDX-License-Identifier: Apache-2.0
// Watches one search. The watch queries the observer of the search whether to
// continue, but only on the thread that created the watch. All other threads
// use the stored response.
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

// Queries the observer of a search. A watch is itself an observer, so a part of
// a search can have a watch of its own that queries the watch of the whole
// search.
class Watch final : public Observer {
 public:
  // The observer in `options` may be null; otherwise it must outlive the watch.
  // The watch calls the observer only on the thread that created the watch.
  explicit Watch(const SolveOptions& options);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Forwards `progress` to the observer. On any thread other than the one that
  // created the watch, does not call the observer.
  bool OnProgress(const SearchProgress& progress) override;

  // Returns whether the observer wants the search to continue. May be called on
  // any thread and at any frequency, because the watch queries the observer at
  // most once every 2 ms.
  bool KeepGoing() override;

  // Returns a signal that is set once the observer ends the search, or once
  // `quarters` quarters of the time limit have passed. With a node budget,
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

// Forwards KeepGoing to another observer, but does not report progress to it.
class WithoutProgress final : public Observer {
 public:
  explicit WithoutProgress(Observer* observer) : observer_(observer) {}
  bool KeepGoing() override {
    return observer_ == nullptr || observer_->KeepGoing();
  }

 private:
  Observer* const observer_;  // may be null
};

// Stops a search when a signal is set.
class SignalObserver final : public Observer {
 public:
  // The signal must outlive the observer.
  explicit SignalObserver(const StopSignal& stop) : stop_(stop) {}
  bool KeepGoing() override { return !stop_.IsSet(); }

 private:
  const StopSignal& stop_;
};

// Returns the nanoseconds that have passed since `begin`.
int64_t NanosecondsSince(std::chrono::steady_clock::time_point begin);

// Returns the time that remains of a time limit after `spent_ns` nanoseconds,
// but at least 0. Returns kNoTimeLimit if `limit_ns` is kNoTimeLimit.
int64_t TimeLeft(int64_t limit_ns, int64_t spent_ns);

// Returns half of a time limit, or kNoTimeLimit if there is no limit.
int64_t HalfOf(int64_t limit_ns);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_WATCH_H_
