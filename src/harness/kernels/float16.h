// SPDX-License-Identifier: Apache-2.0
// Converts elements of FLOAT16 to floats.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_FLOAT16_H_
#define STOWAGE_SRC_HARNESS_KERNELS_FLOAT16_H_

#include <cstdint>
#include <cstring>

#include "src/harness/kernels/dispatch_type.h"

namespace stowage::harness {

// Returns the float that has the same value. Every FLOAT16 number is also a
// float.
inline float FloatOfHalf(Half half) {
  const uint32_t sign = (half.bits & 0x8000U) << 16;
  const uint32_t magnitude = half.bits & 0x7FFFU;
  // The exponent of a float has the bias 127, that of a FLOAT16 number the bias
  // 15. The difference is added.
  uint32_t bits = (magnitude << 13) + ((127U - 15U) << 23);
  if (magnitude >= 0x7C00U) bits += (255U - 143U) << 23;  // infinity or NaN
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  // Numbers below 2^-14 have no leading 1 and are multiples of 2^-24.
  if (magnitude < 0x0400U) value = static_cast<float>(magnitude) * 0x1p-24F;
  std::memcpy(&bits, &value, sizeof(bits));
  bits |= sign;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FLOAT16_H_
