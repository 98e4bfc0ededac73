// SPDX-License-Identifier: Apache-2.0
// Computes with shapes, for operators and delegates: axes, products of
// dimensions, strides and broadcasting. For the number of elements or bytes of
// a shape, use stowage/tflite/element_type.h.
//
// Broadcasting treats tensors of different shapes as if they had the same
// shape. Shapes are aligned at their last dimensions. A tensor is repeated
// along every dimension in which its extent is 1, and along the leading
// dimensions that it lacks.
//
//   BroadcastShape({8, 1, 3}, {5, 1})   [8, 5, 3]
//   Strides({8, 1, 3})                  3 3 1
//   BroadcastStrides({5, 1}, 3)         0 1 0
//
// Source: the broadcasting rules of NumPy, which TensorFlow adopted.
#ifndef STOWAGE_HARNESS_SHAPES_H_
#define STOWAGE_HARNESS_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/tflite/element_type.h"

namespace stowage::harness {

// Converts an axis of a model to a number in [0, rank). A negative axis counts
// from the last dimension. Error: InvalidArgument for an axis that does not
// exist.
absl::StatusOr<int> ResolveAxis(int64_t axis, int rank);

// Returns the product of the dimensions in [first, last).
int64_t FlatSize(const Shape& shape, int first, int last);

// Returns the stride of each dimension: the distance, in elements, between two
// elements that are adjacent along this dimension. All strides of a shape
// without elements are 0.
std::vector<int64_t> Strides(const Shape& shape);

// Returns the strides of a tensor that is broadcast to `rank` dimensions. The
// stride is 0 along each dimension in which the tensor is repeated.
std::vector<int64_t> BroadcastStrides(const Shape& shape, size_t rank);

// Returns the shape to which two tensors of these shapes are broadcast. Error:
// InvalidArgument if the shapes are incompatible.
absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHAPES_H_
