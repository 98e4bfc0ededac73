// SPDX-License-Identifier: Apache-2.0
// Counts the zero bits at the ends of a word. In a build with abseil
// (config.h), the functions are those of abseil; in other builds, they call
// functions of the compiler.
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

// Return the number of zero bits above the highest bit that is set
// (countl_zero), or below the lowest bit that is set (countr_zero). If no bit
// is set, both return 64.
inline int countl_zero(uint64_t word) {
  return word == 0 ? 64 : __builtin_clzll(word);
}
inline int countr_zero(uint64_t word) {
  return word == 0 ? 64 : __builtin_ctzll(word);
}
// Returns the number of bits that are set.
inline int popcount(uint64_t word) { return __builtin_popcountll(word); }

// Words of any width other than 64 bits are refused, since the result depends
// on the width.
template <typename T>
int countl_zero(T) = delete;
template <typename T>
int countr_zero(T) = delete;
template <typename T>
int popcount(T) = delete;

#endif

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_BITS_H_
