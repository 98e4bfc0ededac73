// Floats as integers of 8 bits by the range that they have: what hybrid
// operators do with their inputs.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_DYNAMIC_RANGE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_DYNAMIC_RANGE_H_

#include <cstdint>

namespace stowage::harness {

// real ~ scale * (quantised - zero_point).
struct DynamicRange {
  float scale = 1;
  int32_t zero_point = 0;
};

// To -127 .. 127, the largest magnitude at an end. Values that are not finite
// have no meaning as integers, but do no harm. O(size).
DynamicRange QuantizeSymmetrically(const float* from, int64_t size, int8_t* to);

// To -128 .. 127, the smallest value (or 0) at one end and the largest (or 0)
// at the other, 0 as an integer.
DynamicRange QuantizeAsymmetrically(const float* from, int64_t size,
                                    int8_t* to);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DYNAMIC_RANGE_H_
