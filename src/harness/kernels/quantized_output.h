// SPDX-License-Identifier: Apache-2.0
// Where the result of quantised arithmetic goes: the values that an output
// holds, and its zero point.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_OUTPUT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_OUTPUT_H_

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

struct QuantizedOutput {
  Range<int32_t> range = {};
  int32_t zero_point = 0;

  // The element for a value that counts from the zero point.
  int32_t At(int64_t value) const {
    const int64_t shifted = value + zero_point;
    if (shifted < range.min) return range.min;
    if (shifted > range.max) return range.max;
    return static_cast<int32_t>(shifted);
  }
};

// Error: that of QuantizedRange.
absl::StatusOr<QuantizedOutput> QuantizedOutputOf(
    const Tensor& output, tflite::ActivationFunctionType activation =
                              tflite::ActivationFunctionType::NONE);

// For operators whose arithmetic knows the range of its results. Error:
// InvalidArgument unless the output has this zero point and, within a
// thousandth, this scale.
absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_QUANTIZED_OUTPUT_H_
