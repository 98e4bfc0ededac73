// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shapes.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "stowage/harness/kernel_tools.h"

namespace stowage::harness {

absl::StatusOr<int> ResolveAxis(int64_t axis, int rank) {
  if (rank == 0) {
    return RefuseModel("axis ", axis,
                       " of a scalar, which has no dimensions; expected a "
                       "tensor with at least one");
  }
  if (axis < -rank || axis >= rank) {
    return RefuseModel("axis ", axis, " is out of range; expected ", -rank,
                       " to ", rank - 1);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int64_t FlatSize(const Shape& shape, int first, int last) {
  int64_t size = 1;
  for (int i = first; i < last; ++i) size *= shape[static_cast<size_t>(i)];
  return size;
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  // If a dimension is 0, the product of the other dimensions may overflow, so
  // no product is computed.
  if (absl::c_linear_search(shape, 0)) return strides;
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::vector<int64_t> BroadcastStrides(const Shape& shape, size_t rank) {
  std::vector<int64_t> strides = Strides(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) strides[d] = 0;
  }
  strides.insert(strides.begin(), rank - shape.size(), 0);
  return strides;
}

absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t back = 1; back <= result.size(); ++back) {
    const int32_t of_a = back <= a.size() ? a[a.size() - back] : 1;
    const int32_t of_b = back <= b.size() ? b[b.size() - back] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      return RefuseModel("the inputs have shapes ", ShapeText(a), " and ",
                         ShapeText(b), "; expected equal dimensions, or 1");
    }
    result[result.size() - back] = of_a == 1 ? of_b : of_a;
  }
  return result;
}

}  // namespace stowage::harness
