// SPDX-License-Identifier: Apache-2.0
// Computes sums and products of weights that saturate at the largest number
// instead of overflowing. Weights are only compared and displayed; no size
// depends on them.
#ifndef STOWAGE_SRC_PROGRAMS_SATURATING_H_
#define STOWAGE_SRC_PROGRAMS_SATURATING_H_

#include <algorithm>
#include <cstdint>
#include <limits>

namespace stowage {

inline uint64_t SaturatingTimes(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return a != 0 && b > kMost / a ? kMost : a * b;
}

inline uint64_t SaturatingPlus(uint64_t a, uint64_t b) {
  return a + std::min(b, std::numeric_limits<uint64_t>::max() - a);
}

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_SATURATING_H_
