// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers that wraps around where it overflows, and of floating
// point numbers as it is.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_WRAPPING_H_
#define STOWAGE_SRC_HARNESS_KERNELS_WRAPPING_H_

#include <cstdint>
#include <type_traits>

namespace stowage::harness {

// f(a, b), computed with what T is without a sign.
template <typename T, typename F>
T Wrapping(T a, T b, F f) {
  if constexpr (std::is_floating_point_v<T>) {
    return f(a, b);
  } else {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, uint32_t>;
    return static_cast<T>(
        f(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  }
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_WRAPPING_H_
