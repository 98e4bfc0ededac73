#include "src/harness/kernels/pad_kernel.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/fill_elements.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

absl::StatusOr<std::vector<DimensionPadding>> PaddingsOf(
    const OperatorContext& context) {
  const absl::StatusOr<std::vector<int64_t>> values = IntegersOf(context, 1);
  if (!values.ok()) return values.status();
  const int rank = context.input(0).rank();
  const Shape& shape = context.input(1).shape;
  if (shape != Shape{rank, 2}) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputPlace(context, 1), ": its shape is ",
                     ShapeText(shape), ": expected [", rank, ", 2]"));
  }
  for (const int64_t value : *values) {
    if (value >= 0 && value <= INT32_MAX) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(InputPlace(context, 1), ": it has a padding of ", value,
                     ": expected 0 to 2^31 - 1"));
  }
  std::vector<DimensionPadding> result(static_cast<size_t>(rank));
  for (size_t d = 0; d < result.size(); ++d) {
    result[d] = {(*values)[2 * d], (*values)[2 * d + 1]};
  }
  return result;
}

absl::StatusOr<Shape> PaddedShape(
    const Shape& shape, const std::vector<DimensionPadding>& paddings) {
  Shape result(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = paddings[d].before + shape[d] + paddings[d].after;
    if (size > INT32_MAX) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", d, " has ", size,
                       " elements with its padding: expected below 2^31"));
    }
    result[d] = static_cast<int32_t>(size);
  }
  return result;
}

absl::Status PadKernel::Resize(OperatorContext& context) {
  const auto paddings = PaddingsOf(context);
  if (!paddings.ok()) return paddings.status();
  const Shape& from = context.input(0).shape;
  const absl::StatusOr<Shape> to = PaddedShape(from, *paddings);
  if (!to.ok()) return to.status();
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *to));
  const std::vector<int64_t> from_strides = Strides(from);
  const std::vector<int64_t> to_strides = Strides(*to);
  std::vector<BoxCopy::Axis> axes(from.size());
  int64_t start = 0;
  for (size_t d = 0; d < from.size(); ++d) {
    axes[d] = {from[d], from_strides[d], to_strides[d]};
    start += (*paddings)[d].before * to_strides[d];
  }
  copy_ = BoxCopy(axes, 0, start);
  return absl::OkStatus();
}

absl::Status PadKernel::Run(OperatorContext& context) {
  const Element padding = PaddingOf(context);
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  if (output.bytes > input.bytes) FillElements(output, padding.data());
  copy_.Run(input.data, output.data, ElementBytes(input.type));
  return absl::OkStatus();
}

}  // namespace stowage::harness
