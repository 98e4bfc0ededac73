// SPDX-License-Identifier: Apache-2.0
// How many bytes of a memory are held as blocks come and go, however they
// overlap.
#ifndef STOWAGE_SRC_EXPLAIN_COVERAGE_H_
#define STOWAGE_SRC_EXPLAIN_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stowage::views {

// A segment tree over the bytes between the ends of all blocks, which are known
// before. O(blocks) memory.
class Coverage {
 public:
  // Every begin and end of a block, in any order, with repetitions.
  explicit Coverage(std::vector<size_t> ends);

  // A block that has been added may be removed; begin < end. O(log blocks).
  void Add(size_t begin, size_t end) { Change(begin, end, true); }
  void Remove(size_t begin, size_t end) { Change(begin, end, false); }

  size_t held() const { return nodes_[1].held; }
  // One past the highest byte that is held; 0 of none.
  size_t highest() const { return nodes_[1].highest; }

 private:
  struct Node {
    size_t held = 0;
    size_t highest = 0;
    uint32_t blocks = 0;  // that hold all bytes of the node, but not its parent
  };

  void Change(size_t begin, size_t end, bool adds);
  // `level` is 0 for leaves.
  void Update(size_t node, size_t level);
  size_t Begin(size_t leaf) const;

  size_t leaves_ = 1;
  std::vector<size_t> ends_;  // rising; leaf k is [ends_[k], ends_[k + 1])
  std::vector<Node> nodes_;
};

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_COVERAGE_H_
