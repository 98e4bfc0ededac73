// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/activation.h"

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

absl::Status ActivationKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(check_type_(context));
  const Tensor& input = context.input(0);
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
  if (input.type != ElementType::kFloat32) {
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
  }
  STOWAGE_ASSIGN_OR_RETURN(activation_, make_(context));
  if (ElementBytes(input.type) == 1) {
    const int32_t first = input.type == ElementType::kInt8 ? -128 : 0;
    for (int32_t value = first; value < first + 256; ++value) {
      table_[static_cast<uint8_t>(value)] =
          static_cast<uint8_t>(activation_.quantized(value));
    }
  }
  return context.ResizeOutput(0, input.shape);
}

absl::Status ActivationKernel::Invoke(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  const int64_t count = input.elements();
  if (input.type == ElementType::kFloat32) {
    activation_.real(input.as<float>(), output.as<float>(), count);
  } else if (input.type == ElementType::kInt16) {
    ForEachElement(input.as<int16_t>(), output.as<int16_t>(), count,
                   [this](int16_t value) {
                     return static_cast<int16_t>(activation_.quantized(value));
                   });
  } else {
    // The bytes of INT8 index the table as those of UINT8 do.
    ForEachElement(input.as<uint8_t>(), output.as<uint8_t>(), count,
                   [this](uint8_t value) { return table_[value]; });
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
