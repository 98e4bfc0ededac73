// SPDX-License-Identifier: Apache-2.0
// Keeps values that are computed from a problem. The problem and all of its
// copies share these values. The problem itself contains no algorithms: the
// caller that asks for a value passes the function that computes it.
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

  // Returns the value of `key`. The first call computes it by `compute`. All
  // calls with the same key must have the same type T. `compute` may ask for
  // the values of other keys. Thread-safe.
  template <typename T, typename Compute>
  const T& Get(Key key, Compute compute) const {
    Slot& slot = slots_[key];
    std::call_once(slot.once,
                   [&] { slot.value = std::make_shared<const T>(compute()); });
    return *static_cast<const T*>(slot.value.get());
  }

 private:
  // A value and its flag. Each value has a flag of its own, since the
  // computation of one value may ask for another value.
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const void> value;
  };

  mutable std::array<Slot, kKeys> slots_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_DERIVED_VALUES_H_
