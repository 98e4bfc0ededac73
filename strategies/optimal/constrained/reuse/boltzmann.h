// SPDX-License-Identifier: Apache-2.0
// Defines the exponentials and temperatures of the annealing. All computations
// use integers only, so the results are the same on every machine.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_BOLTZMANN_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_BOLTZMANN_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace stowage::optimal {

// Contains exp(-x) * 2^20 for x = 0, 1/64, 2/64, ... below 12. For larger x,
// exp(-x) is at most exp(-12), which is below 2^-17 and counts as 0.
class ExponentialTable {
 public:
  static constexpr int64_t kStepsPerUnit = 64;
  static constexpr int64_t kUnits = 12;
  static constexpr int64_t kOne = int64_t{1} << 20;

  constexpr ExponentialTable() : entries_() {
    // exp(-1/64) * 2^32, rounded.
    constexpr uint64_t kFactor = 4228380000;
    uint64_t value = uint64_t{1} << 32;
    for (int64_t& entry : entries_) {
      entry = static_cast<int64_t>(value >> 12);
      value = (value * kFactor) >> 32;
    }
  }

  // Returns exp(-steps / 64) * 2^20. Requires 0 <= steps.
  constexpr int64_t operator[](int64_t steps) const {
    return steps < kUnits * kStepsPerUnit ? entries_[static_cast<size_t>(steps)]
                                          : 0;
  }

 private:
  std::array<int64_t, kUnits * kStepsPerUnit> entries_;
};

inline constexpr ExponentialTable kExponentials;

// A temperature above 0. Converts differences of energies to weights.
class Temperature {
 public:
  // `scaled` is the temperature in units of energy, times 2^16.
  explicit Temperature(int64_t scaled)
      : steps_per_energy_((ExponentialTable::kStepsPerUnit << 40) / scaled),
        cutoff_(ExponentialTable::kUnits * scaled >> 16) {}

  // Returns exp(-difference / T) * 2^20, or 0 above cutoff(). Requires 0 <=
  // difference.
  int64_t Weight(int64_t difference) const {
    if (difference > cutoff_) return 0;
    return kExponentials[(difference * steps_per_energy_) >> 24];
  }
  int64_t cutoff() const { return cutoff_; }

 private:
  int64_t steps_per_energy_;  // times 2^24
  int64_t cutoff_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_BOLTZMANN_H_
