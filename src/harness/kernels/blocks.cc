#include "src/harness/kernels/blocks.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/broadcast.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

absl::Status NoSuchBlock(int64_t block, const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("a block size of ", block, " for a shape of ",
                   ShapeText(shape), ": expected 1 or more, and a divisor"));
}

Shape Narrow(int64_t batch, int64_t height, int64_t width, int64_t channels) {
  return {static_cast<int32_t>(batch), static_cast<int32_t>(height),
          static_cast<int32_t>(width), static_cast<int32_t>(channels)};
}

}  // namespace

absl::StatusOr<Shape> WideShape(const Shape& deep, int64_t block) {
  if (block < 1 || deep[3] % (block * block) != 0 ||
      deep[1] * block > INT32_MAX || deep[2] * block > INT32_MAX) {
    return NoSuchBlock(block, deep);
  }
  return Narrow(deep[0], deep[1] * block, deep[2] * block,
                deep[3] / (block * block));
}

absl::StatusOr<Shape> DeepShape(const Shape& wide, int64_t block) {
  if (block < 1 || wide[1] % block != 0 || wide[2] % block != 0 ||
      block * block > INT32_MAX || wide[3] * block * block > INT32_MAX) {
    return NoSuchBlock(block, wide);
  }
  return Narrow(wide[0], wide[1] / block, wide[2] / block,
                wide[3] * block * block);
}

std::vector<BoxCopy::Axis> AxesOfBlocks(const Shape& deep, const Shape& wide,
                                        int64_t block) {
  const std::vector<int64_t> from = Strides(deep);
  const std::vector<int64_t> to = Strides(wide);
  const int64_t channels = wide[3];
  return {{deep[0], from[0], to[0]},        {deep[1], from[1], to[1] * block},
          {block, block * channels, to[1]}, {deep[2], from[2], to[2] * block},
          {block, channels, to[2]},         {channels, 1, 1}};
}

}  // namespace stowage::harness
