// SPDX-License-Identifier: Apache-2.0
// Says when long work has to end: after a number of units, or on a signal.
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

// A signal that ends work. It is set at a point in time, by a flag of the
// caller, or because the result of the work is no longer needed.
struct StopSignal {
  optional<std::chrono::steady_clock::time_point> deadline;
  // Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  // Not owned; may be null.
  const std::atomic<bool>* abandoned = nullptr;
  // Called at each check, many times a millisecond and on any thread; returns
  // true to end the work. Not owned; may be null.
  const std::function<bool()>* is_unwanted = nullptr;

  bool IsSet() const { return IsSetWithin(std::chrono::milliseconds(0)); }

  // Returns whether a flag or a function, and not the deadline, ended the work.
  bool IsCancelled() const {
    return IsTrue(cancelled) || IsTrue(abandoned) ||
           (is_unwanted != nullptr && (*is_unwanted)());
  }

  // Returns whether the signal is set, or will be set by its deadline within
  // `duration`. Work that takes this long and cannot be interrupted would then
  // end too late.
  bool IsSetWithin(std::chrono::milliseconds duration) const {
    if (IsCancelled()) return true;
    return deadline && std::chrono::steady_clock::now() + duration >= *deadline;
  }

 private:
  static bool IsTrue(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }
};

// Returns an upper estimate, based on measurements, of how long it takes to
// rank, sort and sweep `records` records once. Only the sorts of sort_until.h
// and radix_sort.h can be interrupted. A caller with a deadline must therefore
// call this function before any other sort.
inline std::chrono::milliseconds TimeToSort(size_t records) {
  constexpr size_t kPerMillisecond = 1500;
  return std::chrono::milliseconds(records / kPerMillisecond);
}

// Counts the remaining units of work. The signal is checked once in kInterval
// units, since a check costs as much as several of them.
class WorkLimit {
 public:
  static constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

  // `signal` may be null, and must outlive the object.
  explicit WorkLimit(uint64_t units, const StopSignal* signal = nullptr)
      : left_(units), signal_(signal) {}

  // Spends units. Returns whether units remain and the signal was not set when
  // it was checked last. Once a call has returned false, all later calls return
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
