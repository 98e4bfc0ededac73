// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/data_shaped_kernel.h"

#include "absl/algorithm/container.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

absl::Status DataShapedKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(Check(context));
  is_dynamic_ = absl::c_any_of(shaping_, [&](size_t i) {
    return context.has_input(i) && !context.input(i).is_known();
  });
  if (!is_dynamic_) return Resize(context);
  for (size_t i = 0; i < context.output_count(); ++i) {
    context.MakeOutputDynamic(i);
  }
  return absl::OkStatus();
}

absl::Status DataShapedKernel::Invoke(OperatorContext& context) {
  if (is_dynamic_) {
    STOWAGE_RETURN_IF_ERROR(Resize(context));
  }
  return Run(context);
}

absl::StatusOr<int64_t> IntegerOf(const OperatorContext& context, size_t i) {
  STOWAGE_ASSIGN_OR_RETURN(const auto values, IntegersOf(context, i));
  if (values.size() != 1) {
    return RefuseModel(InputPlace(context, i), ": it has ", values.size(),
                       " elements; expected 1");
  }
  return values[0];
}

absl::StatusOr<Shape> ShapeOf(const OperatorContext& context, size_t i) {
  STOWAGE_ASSIGN_OR_RETURN(const auto values, IntegersOf(context, i));
  Shape shape;
  for (const int64_t value : values) {
    if (value < 0 || value > INT32_MAX) {
      return RefuseModel(InputPlace(context, i), ": it has a dimension of ",
                         value, "; expected 0 to 2^31 - 1");
    }
    shape.push_back(static_cast<int32_t>(value));
  }
  return shape;
}

absl::Status CheckInputIsOneElement(const OperatorContext& context, size_t i) {
  const Tensor& input = context.input(i);
  if (input.bytes == ElementBytes(input.type)) return absl::OkStatus();
  return RefuseModel(InputPlace(context, i), ": its shape is ",
                     ShapeText(input.shape), "; expected one element");
}

absl::Status CheckMovable(OperatorContext& context, size_t i) {
  const ElementType type = context.input(i).type;
  if (ElementBytes(type) == 0) {
    return RefuseModel(InputPlace(context, i), ": its type is ",
                       ElementTypeName(type),
                       "; expected elements of one or more bytes");
  }
  for (size_t output = 0; output < context.output_count(); ++output) {
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, output, {type}));
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
