// SPDX-License-Identifier: Apache-2.0
// Registers STRIDED_SLICE. In each dimension, it copies every n-th element
// between a begin and an end, like a[1:7:2, ..., 3] in Python. Bit i of each
// mask applies to the i-th of the indices in inputs 1 (begin), 2 (end) and 3
// (stride):
//
//   begin_mask, end_mask   the begin or end is ignored; the slice reaches that
//                          end of the dimension
//   ellipsis_mask          the index means all dimensions that remain
//   new_axis_mask          the index adds a dimension of one element
//   shrink_axis_mask       only the element at the begin is copied, and the
//                          output does not have the dimension
//
// Source: the documentation of tf.strided_slice.
#include <algorithm>

#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::strided_slice {
namespace {

bool HasBit(int32_t mask, size_t bit) {
  return bit < 32 && (static_cast<uint32_t>(mask) >> bit & 1U) != 0;
}

// The begin, end and stride that select elements of one dimension.
struct Request {
  int64_t begin;
  int64_t end;
  int64_t stride;
  bool is_open_at_begin;
  bool is_open_at_end;
  bool is_offset;  // says whether the end is counted from the begin
  bool shrinks;
};

// A walk along a dimension, which visits `count` elements: `first`, `first +
// stride` and so on.
struct Walk {
  int64_t first = 0;
  int64_t stride = 1;
  int64_t count = 0;
};

// Converts the begin or the end of a slice to the position at which the walk
// begins or ends. The result may be the position after the last element for a
// forward walk, and the position before the first element for a backward walk.
int64_t Bounded(int64_t index, int64_t size, bool is_forward) {
  if (index < 0) index += size;
  return is_forward ? std::clamp<int64_t>(index, 0, size)
                    : std::clamp<int64_t>(index, -1, size - 1);
}

absl::StatusOr<Walk> WalkOf(const Request& request, int64_t size) {
  const bool is_forward = request.stride > 0;
  if (request.stride == 0 || (request.shrinks && !is_forward)) {
    return RefuseModel("a stride is ", request.stride, "; expected ",
                       request.shrinks ? "above 0 where a dimension is removed"
                                       : "a number other than 0");
  }
  Walk walk;
  walk.stride = request.stride;
  walk.first = Bounded(request.begin, size, is_forward);
  if (request.is_open_at_begin) walk.first = is_forward ? 0 : size - 1;
  if (request.shrinks) {
    const bool is_inside = request.is_open_at_begin ||
                           (request.begin >= -size && request.begin < size);
    if (!is_inside || size == 0) {
      return RefuseModel("index ", request.begin,
                         " is out of range; expected one of ", size,
                         " elements");
    }
    walk.count = 1;
    return walk;
  }
  int64_t end = request.is_offset ? walk.first + request.end : request.end;
  end = Bounded(end, size, is_forward);
  if (request.is_open_at_end) end = is_forward ? size : -1;
  const int64_t distance = is_forward ? end - walk.first : walk.first - end;
  const int64_t step = is_forward ? walk.stride : -walk.stride;
  walk.count = distance > 0 ? (distance - 1) / step + 1 : 0;
  return walk;
}

// The combined result of all indices.
struct Plan {
  Shape shape;  // the shape of the output
  // One axis for each dimension of the output.
  std::vector<BoxCopy::Axis> axes;
  int64_t start = 0;  // the position of the first element in the input
};

absl::StatusOr<std::vector<Request>> RequestsOf(
    const OperatorContext& context,
    const tflite::StridedSliceOptions& options) {
  std::vector<int64_t> indices[3];
  for (size_t i = 0; i < 3; ++i) {
    STOWAGE_ASSIGN_OR_RETURN(indices[i], IntegersOf(context, i + 1));
    if (indices[i].size() != indices[0].size()) {
      return RefuseModel(InputPlace(context, i + 1), ": it has ",
                         indices[i].size(), " indices; expected ",
                         indices[0].size(), ", as input 1 has");
    }
    // Indices are clamped to kFar, so that they can be added without overflow.
    // The result is unchanged, because all indices beyond the end of every
    // possible dimension mean the same.
    constexpr int64_t kFar = int64_t{1} << 32;
    for (int64_t& index : indices[i]) index = std::clamp(index, -kFar, kFar);
  }
  std::vector<Request> requests;
  for (size_t i = 0; i < indices[0].size(); ++i) {
    requests.push_back({indices[0][i], indices[1][i], indices[2][i],
                        HasBit(options.begin_mask(), i),
                        HasBit(options.end_mask(), i), options.offset(),
                        HasBit(options.shrink_axis_mask(), i)});
  }
  return requests;
}

// Returns the number of dimensions that the ellipsis represents or, if there is
// no ellipsis, the number of dimensions after those that the indices address.
absl::StatusOr<size_t> EllipsisOf(const tflite::StridedSliceOptions& options,
                                  size_t indices, size_t rank) {
  size_t ellipses = 0;
  size_t sliced = 0;
  for (size_t i = 0; i < indices; ++i) {
    if (HasBit(options.ellipsis_mask(), i)) {
      ++ellipses;
    } else if (!HasBit(options.new_axis_mask(), i)) {
      ++sliced;
    }
  }
  if (ellipses > 1 || sliced > rank) {
    return RefuseModel("it has ", ellipses, " ellipses and ", sliced,
                       " dimensions to slice; expected at most 1, and ", rank);
  }
  return rank - sliced;
}

absl::StatusOr<Plan> PlanOf(const OperatorContext& context,
                            const tflite::StridedSliceOptions& options) {
  STOWAGE_ASSIGN_OR_RETURN(const auto requests, RequestsOf(context, options));
  const Shape& from = context.input(0).shape;
  const std::vector<int64_t> strides = Strides(from);
  STOWAGE_ASSIGN_OR_RETURN(const size_t ellipsis,
                           EllipsisOf(options, requests.size(), from.size()));
  Plan plan;
  size_t d = 0;  // the next dimension of the input
  const auto append_whole = [&](size_t count) {
    for (; count > 0; --count, ++d) {
      plan.shape.push_back(from[d]);
      plan.axes.push_back({from[d], strides[d], 0});
    }
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    if (HasBit(options.ellipsis_mask(), i)) {
      append_whole(ellipsis);
      continue;
    }
    if (HasBit(options.new_axis_mask(), i)) {
      plan.shape.push_back(1);
      plan.axes.push_back({1, 0, 0});
      continue;
    }
    STOWAGE_ASSIGN_OR_RETURN(const Walk walk, WalkOf(requests[i], from[d]));
    if (walk.count > 0) plan.start += walk.first * strides[d];
    if (!requests[i].shrinks) {
      plan.shape.push_back(static_cast<int32_t>(walk.count));
      // The stride of a walk with a single element does not matter. It is set
      // to 0, because the product with the stride might overflow.
      plan.axes.push_back(
          {walk.count, walk.count > 1 ? walk.stride * strides[d] : 0, 0});
    }
    ++d;
  }
  append_whole(from.size() - d);
  return plan;
}

absl::StatusOr<BoxCopy> PlaceSlice(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                           OptionsOf<tflite::StridedSliceOptions>(context));
  STOWAGE_ASSIGN_OR_RETURN(Plan plan, PlanOf(context, *options));
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, plan.shape));
  const std::vector<int64_t> to = Strides(plan.shape);
  for (size_t d = 0; d < to.size(); ++d) plan.axes[d].to = to[d];
  return BoxCopy(plan.axes, plan.start);
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<BoxKernel>(
              "STRIDED_SLICE",
              "every n-th element between a begin and an end in each "
              "dimension, like a[1:7:2, ..., 3] in Python",
              size_t{4}, PlaceBox{PlaceSlice})
              .OfVersions(1, 8)};
}

}  // namespace stowage::harness::strided_slice
