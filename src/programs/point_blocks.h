// SPDX-License-Identifier: Apache-2.0
// Divides the points of a program into basic blocks. A basic block consists of
// consecutive points. Within the block, each point is followed only by the next
// point and preceded only by the previous point.
#ifndef STOWAGE_SRC_PROGRAMS_POINT_BLOCKS_H_
#define STOWAGE_SRC_PROGRAMS_POINT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/programs/points.h"

namespace stowage {

class PointBlocks {
 public:
  // O(points + edges).
  explicit PointBlocks(const ProgramPoints& points);

  size_t size() const { return firsts_.size() - 1; }
  uint32_t block_of(size_t point) const { return blocks_[point]; }
  // Return the first and the last point of a block, inclusive.
  uint32_t first(uint32_t block) const { return firsts_[block]; }
  uint32_t last(uint32_t block) const { return firsts_[block + 1] - 1; }
  // Returns the blocks that can precede a block.
  const std::vector<uint32_t>& before(uint32_t block) const {
    return before_[block];
  }

 private:
  std::vector<uint32_t> blocks_;
  std::vector<uint32_t> firsts_;  // by block, and then the number of points
  std::vector<std::vector<uint32_t>> before_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_POINT_BLOCKS_H_
