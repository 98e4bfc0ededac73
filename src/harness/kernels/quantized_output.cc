// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/quantized_output.h"

#include <cmath>

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

absl::StatusOr<QuantizedOutput> QuantizedOutputOf(
    const Tensor& output, tflite::ActivationFunctionType activation) {
  STOWAGE_ASSIGN_OR_RETURN(const Range<int32_t> range,
                           QuantizedRange(activation, output));
  return QuantizedOutput{range, output.quantization.zero_point()};
}

absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point) {
  STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
  const Quantization& q = context.output(0).quantization;
  if (std::abs(q.scale() - scale) <= scale / 1000 &&
      q.zero_point() == zero_point) {
    return absl::OkStatus();
  }
  return RefuseModel(OutputPlace(context, 0), ": its scale is ", q.scale(),
                     " and its zero point ", q.zero_point(), ": expected 1/",
                     std::round(1 / scale), " and ", zero_point);
}

}  // namespace stowage::harness
