#include "src/harness/kernels/reduce.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

// Which dimensions of the input the axes name; they may name one twice.
absl::StatusOr<std::vector<bool>> ReducedDimensions(const Tensor& input,
                                                    const Tensor& axes) {
  std::vector<bool> reduced(static_cast<size_t>(input.rank()), false);
  // A scalar has no dimensions, and any axis is none of them.
  if (input.rank() == 0) return reduced;
  for (const int32_t axis : axes.span<int32_t>()) {
    const absl::StatusOr<int> dimension = ResolveAxis(axis, input.rank());
    if (!dimension.ok()) return dimension.status();
    reduced[static_cast<size_t>(*dimension)] = true;
  }
  return reduced;
}

}  // namespace

absl::Status ReduceKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {ElementType::kInt32}));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {context.input(0).type}));
  const absl::StatusOr<const tflite::ReducerOptions*> options =
      OptionsOf<tflite::ReducerOptions>(context.spec());
  if (!options.ok()) return options.status();
  keep_dims_ = (*options)->keep_dims();
  if (context.input(1).is_constant()) {
    STOWAGE_RETURN_IF_ERROR(ReadAxes(context));
  } else {
    context.MakeOutputDynamic(0);
  }
  return PrepareType(context);
}

absl::Status ReduceKernel::Invoke(OperatorContext& context) {
  if (!context.input(1).is_constant()) {
    STOWAGE_RETURN_IF_ERROR(ReadAxes(context));
  }
  return Reduce(context);
}

absl::Status ReduceKernel::ReadAxes(OperatorContext& context) {
  const Tensor& input = context.input(0);
  const absl::StatusOr<std::vector<bool>> reduced =
      ReducedDimensions(input, context.input(1));
  if (!reduced.ok()) return reduced.status();

  Shape shape;
  const size_t rank = input.shape.size();
  // Strides of tensors without elements do not matter, and stay 0: the other
  // dimensions' product may be beyond any number.
  const bool is_empty = input.elements() == 0;
  reduced_elements_ = is_empty ? 0 : 1;
  int64_t in_stride = is_empty ? 0 : 1;
  int64_t out_stride = in_stride;
  std::vector<StridedLoop<2>::Axis> kept;
  std::vector<StridedLoop<1>::Axis> others;
  for (size_t d = rank; d-- > 0;) {
    const int64_t extent = input.shape[d];
    if ((*reduced)[d]) {
      others.push_back({extent, {in_stride}});
      reduced_elements_ *= extent;
      if (keep_dims_) shape.push_back(1);
    } else {
      kept.push_back({extent, {out_stride, in_stride}});
      out_stride *= extent;
      shape.push_back(input.shape[d]);
    }
    in_stride *= extent;
  }
  std::reverse(shape.begin(), shape.end());
  std::reverse(kept.begin(), kept.end());
  std::reverse(others.begin(), others.end());
  kept_ = StridedLoop<2>(kept);
  reduced_ = StridedLoop<1>(others);
  return context.ResizeOutput(0, shape);
}

}  // namespace stowage::harness
