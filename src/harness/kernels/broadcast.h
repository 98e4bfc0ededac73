// SPDX-License-Identifier: Apache-2.0
// Broadcasting: tensors of different shapes as if they had one. Shapes are
// aligned at their last dimensions; a dimension that is 1, or missing in front,
// repeats itself.
//
// Source: the rules of NumPy, which TensorFlow took over.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BROADCAST_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BROADCAST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/kernels/strided_loop.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// The distances between neighbours in each dimension, in elements; all 0 for a
// shape without elements.
std::vector<int64_t> Strides(const Shape& shape);

// The same for a shape that is broadcast to one of `rank` dimensions: 0 where
// it repeats itself.
std::vector<int64_t> BroadcastStrides(const Shape& shape, size_t rank);

// The shape that two become. Error: InvalidArgument if they do not fit.
absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b);

// A loop over an output of shape `to`, which is its stream 0, and inputs that
// broadcast to it, the streams from 1 on.
template <size_t N>
StridedLoop<N + 1> BroadcastLoop(const Shape& to,
                                 const std::array<const Shape*, N>& from) {
  using Axis = typename StridedLoop<N + 1>::Axis;
  std::vector<Axis> axes(to.size());
  for (size_t d = 0; d < to.size(); ++d) axes[d].extent = to[d];
  for (size_t i = 0; i <= N; ++i) {
    const std::vector<int64_t> strides =
        i == 0 ? Strides(to) : BroadcastStrides(*from[i - 1], to.size());
    for (size_t d = 0; d < to.size(); ++d) axes[d].strides[i] = strides[d];
  }
  return StridedLoop<N + 1>(axes);
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BROADCAST_H_
