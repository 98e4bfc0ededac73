// SPDX-License-Identifier: Apache-2.0
// Unpacks sparse constants, which a file stores as the elements that are not
// zero and a tree of their places. For dense constants see model_reader.cc.
//
// The tree has a level for each dimension of the tensor and for each dimension
// of a block, in traversal order. A dense level has a child for each coordinate
// of each node above; a sparse one lists the coordinates that exist:
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
#include "src/tflite/model_generated.h"

namespace stowage {

// Copies the elements to their places in `dense`, which holds zeros and has the
// bytes of `shape`. Error: InvalidArgument if the tree does not fit the shape
// or has not as many leaves as there are elements: coordinates out of range or
// out of order, segments that do not divide the indices, a traversal order that
// is not a permutation, blocks that do not divide a dimension. O(levels *
// elements of `dense`).
absl::Status UnpackSparse(const tflite::SparsityParameters& sparsity,
                          absl::Span<const int32_t> shape, size_t element_bytes,
                          absl::Span<const uint8_t> elements,
                          absl::Span<uint8_t> dense);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_SPARSE_TENSOR_H_
