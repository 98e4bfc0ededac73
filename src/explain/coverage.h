// SPDX-License-Identifier: Apache-2.0
// Counts how many bytes of a memory are held by blocks that are added and
// removed over time. Blocks may overlap in any way.
#ifndef STOWAGE_SRC_EXPLAIN_COVERAGE_H_
#define STOWAGE_SRC_EXPLAIN_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stowage::views {

// A segment tree over the elementary ranges between the begins and ends of all
// blocks, which must be known in advance. O(blocks) memory.
class Coverage {
 public:
  // Requires that `ends` contains the begin and the end of every block. They
  // may be in any order and may be repeated.
  explicit Coverage(std::vector<size_t> ends);

  // Add adds a block; Remove removes a block that was added. Both require begin
  // < end. O(log blocks).
  void Add(size_t begin, size_t end) { Change(begin, end, true); }
  void Remove(size_t begin, size_t end) { Change(begin, end, false); }

  size_t held() const { return nodes_[1].held; }
  // Returns the position after the highest byte that is held, or 0 if none is.
  size_t highest() const { return nodes_[1].highest; }

 private:
  struct Node {
    size_t held = 0;
    size_t highest = 0;
    // The number of blocks that cover this whole node but not its whole parent.
    uint32_t blocks = 0;
  };

  void Change(size_t begin, size_t end, bool adds);
  // Recomputes a node from its children. `level` is 0 for leaves.
  void Update(size_t node, size_t level);
  size_t Begin(size_t leaf) const;

  size_t leaves_ = 1;
  std::vector<size_t> ends_;  // rises; leaf k is [ends_[k], ends_[k + 1])
  std::vector<Node> nodes_;
};

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_COVERAGE_H_
