// SPDX-License-Identifier: Apache-2.0
// A cache of values that are computed from a problem. A problem and all of its
// copies share one cache. The problem itself contains no algorithms, so the
// caller that requests a value passes the function that computes it.
#ifndef STOWAGE_SRC_MODEL_DERIVED_VALUES_H_
#define STOWAGE_SRC_MODEL_DERIVED_VALUES_H_

#include <array>
#include <memory>
#include <mutex>

namespace stowage {

class DerivedValues {
 public:
  enum Key { kRanks, kBreadths, kLowerBound, kNaiveSize, kFingerprint, kKeys };

  DerivedValues() = default;
  DerivedValues(const DerivedValues&) = delete;
  DerivedValues& operator=(const DerivedValues&) = delete;

  // Returns the value of `key`. The first call for a key runs `compute` to
  // compute the value. All calls with the same key must use the same type T.
  // `compute` may call Get with other keys. Thread-safe.
  template <typename T, typename Compute>
  const T& Get(Key key, Compute compute) const {
    Slot& slot = slots_[key];
    std::call_once(slot.once,
                   [&] { slot.value = std::make_shared<const T>(compute()); });
    return *static_cast<const T*>(slot.value.get());
  }

 private:
  // A value and the flag that it has been computed. Every value has a separate
  // flag, because the computation of one value may request another value.
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const void> value;
  };

  mutable std::array<Slot, kKeys> slots_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_DERIVED_VALUES_H_
