// SPDX-License-Identifier: Apache-2.0
// Provides 128-bit integers. In a build with Abseil (config.h), these are the
// integers of Abseil; in other builds, those of the compiler, which GCC and
// Clang have for every 64-bit processor.
#ifndef STOWAGE_SRC_BASE_INT128_H_
#define STOWAGE_SRC_BASE_INT128_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL
#include "absl/numeric/int128.h"
#else
#include <cstdint>
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL

using absl::int128;
using absl::uint128;
using absl::Uint128High64;
using absl::Uint128Low64;
using absl::Uint128Max;

#else

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

constexpr uint64_t Uint128High64(uint128 value) {
  return static_cast<uint64_t>(value >> 64);
}
constexpr uint64_t Uint128Low64(uint128 value) {
  return static_cast<uint64_t>(value);
}
constexpr uint128 Uint128Max() { return ~uint128{0}; }

#endif

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_INT128_H_
