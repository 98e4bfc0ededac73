#include "src/harness/kernels/unary.h"

#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

absl::Status UnaryKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckType(context));
  const Tensor& input = context.input(0);
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
  STOWAGE_RETURN_IF_ERROR(PrepareOptions(context));
  if (input.type != ElementType::kFloat32) {
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    STOWAGE_RETURN_IF_ERROR(PrepareQuantized(context));
    if (input.type != ElementType::kInt16) MakeTable(input.type);
  }
  return context.ResizeOutput(0, input.shape);
}

absl::Status UnaryKernel::PrepareOptions(const OperatorContext& /*context*/) {
  return absl::OkStatus();
}

void UnaryKernel::MakeTable(ElementType type) {
  const int32_t first = type == ElementType::kInt8 ? -128 : 0;
  for (int32_t value = first; value < first + 256; ++value) {
    table_[static_cast<uint8_t>(value)] =
        static_cast<uint8_t>(Quantized(value));
  }
}

absl::Status UnaryKernel::Invoke(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  const int64_t count = input.elements();
  switch (input.type) {
    case ElementType::kFloat32:
      Real(input.as<float>(), output.as<float>(), count);
      break;
    case ElementType::kInt16:
      ForEachElement(input.as<int16_t>(), output.as<int16_t>(), count,
                     [this](int16_t value) {
                       return static_cast<int16_t>(Quantized(value));
                     });
      break;
    default:
      // The bytes of INT8 index the table as those of UINT8 do.
      ForEachElement(static_cast<const uint8_t*>(input.data),
                     static_cast<uint8_t*>(output.data), count,
                     [this](uint8_t value) { return table_[value]; });
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
