// SPDX-License-Identifier: Apache-2.0
#include "src/model/watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>  // NOLINT(build/c++11): abseil has no numbers of threads

namespace stowage {
namespace {

// Holds the response of an observer. The destructor ends the search if the
// response is no, or if the observer throws instead of returning.
struct Answer {
  ~Answer() {
    if (!goes_on) *is_ended = true;
  }
  std::atomic<bool>* is_ended;
  bool goes_on = false;
};

}  // namespace

Watch::Watch(const SolveOptions& options)
    : observer_(options.observer),
      time_limit_ns_(options.node_budget ? kNoTimeLimit
                                         : options.time_limit_ns) {}

bool Watch::OnProgress(const SearchProgress& progress) {
  if (observer_ == nullptr) return true;
  if (is_ended_) return false;
  if (std::this_thread::get_id() != caller_) return true;
  Answer answer{&is_ended_};
  answer.goes_on = observer_->OnProgress(progress);
  return answer.goes_on;
}

bool Watch::KeepGoing() {
  if (is_ended_.load(std::memory_order_relaxed)) return false;
  if (observer_ == nullptr || std::this_thread::get_id() != caller_) {
    return true;
  }
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + std::chrono::milliseconds(2);
  Answer answer{&is_ended_};
  answer.goes_on = observer_->KeepGoing();
  return answer.goes_on;
}

StopSignal Watch::SignalAfter(int quarters) const {
  StopSignal stop;
  if (observer_ != nullptr) stop.is_unwanted = &is_unwanted_;
  if (time_limit_ns_ == kNoTimeLimit) return stop;
  // A time limit of more than a year is reduced to a year, because the product
  // and the sum below could otherwise overflow. No search runs for that long.
  constexpr std::chrono::nanoseconds kYear = std::chrono::hours(24 * 365);
  const int64_t limit_ns =
      std::clamp<int64_t>(time_limit_ns_, 0, kYear.count());
  stop.deadline = begin_ + std::chrono::nanoseconds(limit_ns * quarters / 4);
  return stop;
}

int64_t NanosecondsSince(std::chrono::steady_clock::time_point begin) {
  const auto spent = std::chrono::steady_clock::now() - begin;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
}

int64_t TimeLeft(int64_t limit_ns, int64_t spent_ns) {
  if (limit_ns == kNoTimeLimit) return limit_ns;
  return limit_ns > spent_ns ? limit_ns - spent_ns : 0;
}

int64_t HalfOf(int64_t limit_ns) {
  return limit_ns == kNoTimeLimit ? limit_ns : limit_ns / 2;
}

}  // namespace stowage
