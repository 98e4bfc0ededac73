// SPDX-License-Identifier: Apache-2.0
// Limits of long work: a number of units, and a signal that stops the work.
#ifndef STOWAGE_SRC_BASE_WORK_LIMIT_H_
#define STOWAGE_SRC_BASE_WORK_LIMIT_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "stowage/base/optional.h"

namespace stowage {

// A signal that stops work. It is set once a deadline has passed, once the
// caller has set a flag, or once the result of the work is no longer needed.
struct StopSignal {
  optional<std::chrono::steady_clock::time_point> deadline;
  // Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  // Not owned; may be null.
  const std::atomic<bool>* abandoned = nullptr;
  // Returns true to stop the work. Called at each check: many times per
  // millisecond, on any thread. Not owned; may be null.
  const std::function<bool()>* is_unwanted = nullptr;

  bool IsSet() const { return IsSetWithin(std::chrono::milliseconds(0)); }

  // Returns whether the signal is set by a flag or by `is_unwanted`, rather
  // than by the deadline.
  bool IsCancelled() const {
    return IsTrue(cancelled) || IsTrue(abandoned) ||
           (is_unwanted != nullptr && (*is_unwanted)());
  }

  // Returns whether the signal is set, or will be set by its deadline within
  // `duration`. If so, work that takes this long and cannot be interrupted must
  // not begin, since it would end too late.
  bool IsSetWithin(std::chrono::milliseconds duration) const {
    if (IsCancelled()) return true;
    return deadline && std::chrono::steady_clock::now() + duration >= *deadline;
  }

 private:
  static bool IsTrue(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }
};

// Returns an upper estimate, based on measurements, of the time that it takes
// to rank, sort and sweep `records` records once. Only the sorts of
// sort_until.h and radix_sort.h can be interrupted. Before any other sort, a
// caller with a deadline must therefore check that this time is left.
inline std::chrono::milliseconds TimeToSort(size_t records) {
  constexpr size_t kPerMillisecond = 1500;
  return std::chrono::milliseconds(records / kPerMillisecond);
}

// Counts the remaining units of work. Checks the signal only once every
// kInterval units, since a check costs as much as several units.
class WorkLimit {
 public:
  static constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

  // `signal` may be null, and must outlive the object.
  explicit WorkLimit(uint64_t units, const StopSignal* signal = nullptr)
      : left_(units), signal_(signal) {}

  // Spends units. Returns whether units remain and the signal was not set when
  // it was last checked. Once a call has returned false, all later calls return
  // false.
  bool Spend(uint64_t units) {
    if (units > left_) left_ = 0;
    if (left_ == 0) return false;
    left_ -= units;
    since_poll_ += units;
    if (since_poll_ >= kInterval && signal_ != nullptr) {
      since_poll_ = 0;
      if (signal_->IsSet()) left_ = 0;
    }
    return left_ > 0;
  }

  uint64_t left() const { return left_; }

 private:
  static constexpr uint64_t kInterval = 1024;

  uint64_t left_;
  uint64_t since_poll_ = 0;
  const StopSignal* signal_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_WORK_LIMIT_H_
