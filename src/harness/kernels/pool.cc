#include "src/harness/kernels/pool.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/window.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

absl::Status Check(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_RETURN_IF_ERROR(
      CheckInputType(context, 0,
                     {ElementType::kFloat32, ElementType::kInt8,
                      ElementType::kUint8, ElementType::kInt16}));
  return CheckOutputType(context, 0, {context.input(0).type});
}

}  // namespace

absl::StatusOr<Pool> PreparePool(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(Check(context));
  const auto found = OptionsOf<tflite::Pool2DOptions>(context.spec());
  if (!found.ok()) return found.status();
  const tflite::Pool2DOptions& options = **found;
  const Tensor& input = context.input(0);

  const absl::StatusOr<Window> height =
      MakeWindow("height", options.padding(), input.dim(1),
                 options.filter_height(), options.stride_h(), 1);
  if (!height.ok()) return height.status();
  const absl::StatusOr<Window> width =
      MakeWindow("width", options.padding(), input.dim(2),
                 options.filter_width(), options.stride_w(), 1);
  if (!width.ok()) return width.status();

  Pool pool{input.dim(0), input.dim(3), *height, *width};
  const auto activation = options.fused_activation_function();
  if (input.type == ElementType::kFloat32) {
    const absl::StatusOr<Range<float>> range = FloatRange(activation);
    if (!range.ok()) return range.status();
    pool.real_range = *range;
  } else {
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const absl::StatusOr<Range<int32_t>> range =
        QuantizedRange(activation, context.output(0));
    if (!range.ok()) return range.status();
    pool.range = *range;
  }
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(
      0, {input.dim(0), static_cast<int32_t>(height->out),
          static_cast<int32_t>(width->out), input.dim(3)}));
  return pool;
}

}  // namespace stowage::harness
