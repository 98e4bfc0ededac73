// DEPTH_TO_SPACE and SPACE_TO_DEPTH: blocks of s x s pixels with c channels as
// one pixel with s * s * c channels, and back.
//
//   deep[b, y, x, (i * s + j) * c + k] == wide[b, y * s + i, x * s + j, k]
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BLOCKS_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/kernels/box_copy.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// The wide shape of a deep one, of four dimensions both, and the reverse.
// Error: InvalidArgument for a block below 1, and for a shape that it does not
// divide or that would be beyond 32 bits.
absl::StatusOr<Shape> WideShape(const Shape& deep, int64_t block);
absl::StatusOr<Shape> DeepShape(const Shape& wide, int64_t block);

// All pixels and channels, read from the deep tensor and written to the wide.
std::vector<BoxCopy::Axis> AxesOfBlocks(const Shape& deep, const Shape& wide,
                                        int64_t block);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BLOCKS_H_
