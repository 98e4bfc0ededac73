#include "src/harness/kernels/resize.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

// The new size is known, in Prepare or in Invoke.
absl::Status ResizeImage(OperatorContext& context) {
  const Tensor& input = context.input(0);
  const auto size = context.input(1).span<int32_t>();
  if (size[0] < 1 || size[1] < 1 || input.dim(1) < 1 || input.dim(2) < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("its image is ", input.dim(1), " high and ", input.dim(2),
                     " wide, the new one ", size[0], " and ", size[1],
                     ": expected 1 or more of each"));
  }
  return context.ResizeOutput(0,
                              {input.dim(0), size[0], size[1], input.dim(3)});
}

}  // namespace

absl::Status ResizeKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_RETURN_IF_ERROR(
      CheckInputType(context, 0,
                     {ElementType::kFloat32, ElementType::kInt8,
                      ElementType::kUint8, ElementType::kInt16}));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {ElementType::kInt32}));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {context.input(0).type}));
  const absl::StatusOr<ResizeMapping> mapping = Mapping(context);
  if (!mapping.ok()) return mapping.status();
  if (mapping->align_corners && mapping->half_pixel_centers) {
    return absl::InvalidArgumentError(
        "it has align_corners and half_pixel_centers: expected at most one");
  }
  mapping_ = *mapping;
  if (context.input(1).shape != Shape{2}) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputPlace(context, 1), ": its shape is ",
                     ShapeText(context.input(1).shape), ": expected [2]"));
  }
  if (context.input(1).is_constant()) return ResizeImage(context);
  context.MakeOutputDynamic(0);
  return absl::OkStatus();
}

absl::Status ResizeKernel::Invoke(OperatorContext& context) {
  if (!context.input(1).is_constant()) {
    STOWAGE_RETURN_IF_ERROR(ResizeImage(context));
  }
  if (context.output(0).elements() > 0) {
    Resize(context.input(0), context.output(0), mapping_);
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
