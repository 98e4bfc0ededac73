// SPDX-License-Identifier: Apache-2.0
// Represents an arena as an allocator sees it at one moment: blocks in use and
// the gaps between them. To find gaps over a whole lifetime, use FreeSpace
// (free_space.h).
#ifndef STOWAGE_SRC_CONSTRUCT_GAP_LIST_H_
#define STOWAGE_SRC_CONSTRUCT_GAP_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/containers.h"

namespace stowage {

class GapList {
 public:
  using Block = uint32_t;

  GapList();

  // Allocates `size` bytes at a multiple of `alignment`. Uses the smallest gap
  // that has room, and the lowest one if several gaps have this size. If no gap
  // has room, allocates on top. Requires size > 0, and that the sum of the
  // sizes and paddings in use fits in 64 bits. O(log n).
  Block Take(size_t size, size_t alignment);

  // Allocates bytes on top of everything that is in use, even if a gap has
  // room. O(log n).
  Block TakeOnTop(size_t size, size_t alignment);

  // Frees a block. O(log n).
  void Release(Block block);

  size_t OffsetOf(Block block) const { return nodes_[block].offset; }
  // Returns one past the highest byte that has ever been in use.
  size_t top() const { return top_; }

 private:
  // A stretch of the arena, in use or free. The nodes are linked in a ring in
  // the order of their offsets; the ring begins and ends at node 0. No two free
  // nodes are adjacent. The free bytes above the last block are not in the
  // ring.
  struct Node {
    size_t offset = 0;
    size_t size = 0;
    Block below = 0;
    Block above = 0;
    bool free = false;
  };

  struct Gap {
    size_t size;
    size_t offset;
    Block node;

    bool operator<(const Gap& other) const {
      return size != other.size ? size < other.size : offset < other.offset;
    }
  };

  Block NewNode(const Node& node);
  // Marks `node` as free and joins it with its free neighbors.
  void AddGap(Block node);
  void RemoveGap(Block node);
  // Removes `node` from the ring.
  void Unlink(Block node);
  // Frees the first `padding` bytes of a stretch in use.
  void GiveBackPadding(Block node, size_t padding);
  Block TakeFrom(Gap gap, size_t size, size_t alignment);

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<Block> unused_;
  btree_set<Gap> gaps_;
  size_t top_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_GAP_LIST_H_
