// SPDX-License-Identifier: Apache-2.0
// Defines sizes in bytes whose sums overflow.
#ifndef STOWAGE_TESTS_MODEL_EXTREME_SIZES_H_
#define STOWAGE_TESTS_MODEL_EXTREME_SIZES_H_

#include <cstddef>
#include <limits>

namespace stowage {

inline constexpr size_t kMax = std::numeric_limits<size_t>::max();
inline constexpr size_t kHalf = size_t{1} << 63;

}  // namespace stowage

#endif  // STOWAGE_TESTS_MODEL_EXTREME_SIZES_H_
