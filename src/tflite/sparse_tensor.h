// SPDX-License-Identifier: Apache-2.0
// Unpacks sparse constants. For a sparse constant, a file stores only the
// elements that are not zero, and a tree that determines their positions. Dense
// constants are read in model_reader.cc.
//
// The tree has a level for each dimension of the tensor and for each dimension
// of a block, in traversal order. In a dense level, each node of the level
// above has one child for each coordinate. A sparse level lists the coordinates
// that exist:
//
//   1 0 0     level 0, rows: dense, 2
//   0 2 3     level 1, columns: segments 0 1 3, indices 0 | 1 2
//             elements 1 2 3
//
// With blocks, a level of the tensor counts blocks, and a level of the block
// counts the elements within a block.
#ifndef STOWAGE_SRC_TFLITE_SPARSE_TENSOR_H_
#define STOWAGE_SRC_TFLITE_SPARSE_TENSOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model_schema/model_generated.h"

namespace stowage {

// Copies the elements to their positions in `dense`, which must contain zeros
// and have exactly the number of bytes that the shape requires. Errors:
// InvalidArgument if the tree does not match the shape, or if it does not have
// one leaf for each element. Examples are coordinates that are out of range or
// out of order, segments that do not divide the indices, a traversal order that
// is not a permutation, and blocks that do not divide a dimension. O(levels *
// elements of `dense`).
absl::Status UnpackSparse(const tflite::SparsityParameters& sparsity,
                          absl::Span<const int32_t> shape, size_t element_bytes,
                          absl::Span<const uint8_t> elements,
                          absl::Span<uint8_t> dense);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_SPARSE_TENSOR_H_
