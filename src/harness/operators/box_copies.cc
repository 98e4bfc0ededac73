// SPDX-License-Identifier: Apache-2.0
// Registers the operators that copy elements of a tensor to other positions.
// Each row of a table contains one operator and the function that computes the
// positions. STRIDED_SLICE has its own file, because it is long.
#include "absl/strings/str_join.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::box_copies {
namespace {

absl::StatusOr<BoxCopy> BroadcastTo(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(context, 1));
  const Shape& from = context.input(0).shape;
  STOWAGE_ASSIGN_OR_RETURN(const Shape both, BroadcastShape(from, shape));
  if (both != shape) {
    return RefuseModel("the new shape is ", ShapeText(shape),
                       "; expected one that ", ShapeText(from), " repeats to");
  }
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
  return BoxCopy(
      ZipAxes(shape, BroadcastStrides(from, shape.size()), Strides(shape)));
}

// Returns the dimensions that are listed in input 1. Negative dimensions count
// from the last one. Error: InvalidArgument if a dimension is out of range or
// repeated, or if `has_all` is true and a dimension is missing.
absl::StatusOr<std::vector<size_t>> DimensionsOf(const OperatorContext& context,
                                                 bool has_all) {
  STOWAGE_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                           IntegersOf(context, 1));
  const int rank = context.input(0).rank();
  std::vector<bool> is_taken(static_cast<size_t>(rank), false);
  std::vector<size_t> result;
  for (const int64_t value : values) {
    const absl::StatusOr<int> resolved = ResolveAxis(value, rank);
    if (!resolved.ok() || is_taken[static_cast<size_t>(*resolved)]) break;
    result.push_back(static_cast<size_t>(*resolved));
    is_taken[result.back()] = true;
  }
  if (result.size() == values.size() &&
      (!has_all || result.size() == is_taken.size())) {
    return result;
  }
  return RefuseModel(has_all ? "the order is [" : "the dimensions are [",
                     absl::StrJoin(values, ", "), "]; expected each of ", rank,
                     " dimensions ", has_all ? "once" : "at most once");
}

absl::StatusOr<BoxCopy> Transpose(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto order, DimensionsOf(context, true));
  const Tensor& input = context.input(0);
  Shape shape;
  for (const size_t d : order) shape.push_back(input.shape[d]);
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
  const std::vector<int64_t> strides = Strides(input.shape);
  std::vector<int64_t> from;
  from.reserve(order.size());
  for (const size_t d : order) from.push_back(strides[d]);
  return BoxCopy(ZipAxes(shape, from, Strides(shape)));
}

absl::StatusOr<BoxCopy> Reverse(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto reversed, DimensionsOf(context, false));
  const Shape& shape = context.input(0).shape;
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
  const std::vector<int64_t> to = Strides(shape);
  std::vector<int64_t> from = to;
  int64_t start = 0;
  for (const size_t d : reversed) {
    start += (shape[d] - 1) * to[d];
    from[d] = -to[d];
  }
  return BoxCopy(ZipAxes(shape, from, to), start);
}

absl::StatusOr<BoxCopy> Slice(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto begins, IntegersOf(context, 1));
  STOWAGE_ASSIGN_OR_RETURN(const auto sizes, IntegersOf(context, 2));
  const Shape& from = context.input(0).shape;
  if (begins.size() != from.size() || sizes.size() != from.size()) {
    return RefuseModel("its corner has ", begins.size(),
                       " dimensions, its size ", sizes.size(), "; expected ",
                       from.size());
  }
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool is_inside = begins[d] >= 0 && begins[d] <= from[d];
    const int64_t size =
        is_inside && sizes[d] == -1 ? from[d] - begins[d] : sizes[d];
    if (!is_inside || size < 0 || size > from[d] - begins[d]) {
      return RefuseModel("dimension ", d, " is sliced from ", begins[d],
                         " with size ", sizes[d], "; expected a part of ",
                         from[d], " elements");
    }
    shape.push_back(static_cast<int32_t>(size));
  }
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
  const std::vector<int64_t> strides = Strides(from);
  int64_t start = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 0) start += begins[d] * strides[d];
  }
  return BoxCopy(ZipAxes(shape, strides, Strides(shape)), start);
}

absl::StatusOr<BoxCopy> Tile(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto times, IntegersOf(context, 1));
  const Shape& from = context.input(0).shape;
  if (times.size() != from.size()) {
    return RefuseModel(InputPlace(context, 1), ": it has ", times.size(),
                       " elements; expected ", from.size());
  }
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d) {
    const int64_t count = times[d];
    if (count < 0 || count > INT32_MAX || count * from[d] > INT32_MAX) {
      return RefuseModel("dimension ", d, ", ", from[d], ", is repeated ",
                         count, " times; expected 0 to 2^31 - 1 in all");
    }
    shape.push_back(static_cast<int32_t>(count * from[d]));
  }
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
  const std::vector<int64_t> from_strides = Strides(from);
  const std::vector<int64_t> to_strides = Strides(shape);
  std::vector<BoxCopy::Axis> axes;
  for (size_t d = 0; d < from.size(); ++d) {
    axes.push_back({times[d], 0, from[d] * to_strides[d]});
    axes.push_back({from[d], from_strides[d], to_strides[d]});
  }
  return BoxCopy(axes);
}

absl::Status RefuseBlock(int64_t block, const Shape& shape) {
  return RefuseModel("its block size is ", block, ", its input ",
                     ShapeText(shape), "; expected 1 or more, and a divisor");
}

// Returns the axes of a copy from a deep image to a wide image, over all pixels
// and channels. The wide image has more pixels, and the deep image has more
// channels: a block of s x s pixels with c channels in the wide image is a
// single pixel with s * s * c channels in the deep image.
//
//   deep[b, y, x, (i * s + j) * c + k] == wide[b, y * s + i, x * s + j, k]
std::vector<BoxCopy::Axis> AxesOfBlocks(const Shape& deep, const Shape& wide,
                                        int64_t block) {
  const std::vector<int64_t> from = Strides(deep);
  const std::vector<int64_t> to = Strides(wide);
  const int64_t channels = wide[3];
  return {{deep[0], from[0], to[0]},        {deep[1], from[1], to[1] * block},
          {block, block * channels, to[1]}, {deep[2], from[2], to[2] * block},
          {block, channels, to[2]},         {channels, 1, 1}};
}

absl::StatusOr<BoxCopy> DepthToSpace(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                           OptionsOf<tflite::DepthToSpaceOptions>(context));
  const int64_t block = options->block_size();
  const Shape& deep = context.input(0).shape;
  if (block < 1 || deep[3] % (block * block) != 0 ||
      deep[1] * block > INT32_MAX || deep[2] * block > INT32_MAX) {
    return RefuseBlock(block, deep);
  }
  const Shape wide = {deep[0], static_cast<int32_t>(deep[1] * block),
                      static_cast<int32_t>(deep[2] * block),
                      static_cast<int32_t>(deep[3] / (block * block))};
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, wide));
  return BoxCopy(AxesOfBlocks(deep, wide, block));
}

absl::StatusOr<BoxCopy> SpaceToDepth(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                           OptionsOf<tflite::SpaceToDepthOptions>(context));
  const int64_t block = options->block_size();
  const Shape& wide = context.input(0).shape;
  if (block < 1 || wide[1] % block != 0 || wide[2] % block != 0 ||
      block * block > INT32_MAX || wide[3] * block * block > INT32_MAX) {
    return RefuseBlock(block, wide);
  }
  const Shape deep = {wide[0], static_cast<int32_t>(wide[1] / block),
                      static_cast<int32_t>(wide[2] / block),
                      static_cast<int32_t>(wide[3] * block * block)};
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, deep));
  std::vector<BoxCopy::Axis> axes = AxesOfBlocks(deep, wide, block);
  for (BoxCopy::Axis& axis : axes) std::swap(axis.from, axis.to);
  return BoxCopy(axes);
}

OperatorRegistration Row(const char* name, const char* what, size_t inputs,
                         PlaceBox place) {
  return Operator<BoxKernel>(name, what, inputs, place);
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Row("BROADCAST_TO", "the input broadcast to the shape in input 1", 2,
          BroadcastTo)
          .OfVersions(1, 3),
      Row("DEPTH_TO_SPACE", "channels rearranged as blocks of pixels", 1,
          DepthToSpace)
          .OfVersions(1, 2),
      Row("REVERSE_V2",
          "the elements in reverse order along the axes in input 1", 2, Reverse)
          .OfVersions(1, 3),
      Row("SLICE",
          "a box of the input, from the corner in input 1 and of the size in "
          "input 2, where -1 stands for all that remains",
          3, Slice)
          .OfVersions(1, 6),
      Row("SPACE_TO_DEPTH", "blocks of pixels rearranged as channels", 1,
          SpaceToDepth)
          .OfVersions(1, 2),
      Row("TILE",
          "the input repeated along each dimension, as often as input 1 says",
          2, Tile)
          .OfVersions(1, 3),
      Row("TRANSPOSE", "the dimensions in the order that input 1 gives", 2,
          Transpose)
          .OfVersions(1, 7),
  };
}

}  // namespace stowage::harness::box_copies
