// SPDX-License-Identifier: Apache-2.0
// Counts the leading and trailing zero bits and the set bits of a word. In a
// build with Abseil (config.h), the functions are those of Abseil; in other
// builds, they call compiler builtins.
#ifndef STOWAGE_SRC_BASE_BITS_H_
#define STOWAGE_SRC_BASE_BITS_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL
#include "absl/numeric/bits.h"
#else
#include <cstdint>
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL

using absl::countl_zero;
using absl::countr_zero;
using absl::popcount;

#else

// Return the number of zero bits above the highest set bit (countl_zero) or
// below the lowest set bit (countr_zero). If no bit is set, both return 64.
inline int countl_zero(uint64_t word) {
  return word == 0 ? 64 : __builtin_clzll(word);
}
inline int countr_zero(uint64_t word) {
  return word == 0 ? 64 : __builtin_ctzll(word);
}
// Returns the number of set bits.
inline int popcount(uint64_t word) { return __builtin_popcountll(word); }

// Only 64-bit words are accepted, since the results depend on the width.
template <typename T>
int countl_zero(T) = delete;
template <typename T>
int countr_zero(T) = delete;
template <typename T>
int popcount(T) = delete;

#endif

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_BITS_H_
