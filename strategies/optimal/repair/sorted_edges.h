// SPDX-License-Identifier: Apache-2.0
// Keeps the bottom edges or the top edges of all items of a packing sorted by
// level, and computes sums over the edges of the neighbours of one item.
// OverlapSearch (overlap_search.h) has one such list for the bottoms and
// another for the tops.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_SORTED_EDGES_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_SORTED_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/bits.h"

namespace stowage::optimal {

// One edge (bottom or top) of a neighbour, and sums over all marked edges (see
// Mark) before it in the list. Unsigned sums and their differences may wrap
// around, but differences that are small are exact.
struct EdgeSum {
  Level level;
  uint64_t touch;   // the sum of the costs that are constant at any depth
  uint64_t slope;   // the sum of the costs per unit of depth
  uint64_t moment;  // the sum of slope times level
};

class SortedEdges {
 public:
  static constexpr Level kNoEdge = 2 * kMaxLevel - 1;

  // Creates one edge for each item, at these levels. O(n log n).
  explicit SortedEdges(const std::vector<Level>& levels);

  // Returns the levels of the edges, by item.
  const std::vector<Level>& levels() const { return levels_; }

  // Moves the edge of an item. O(edges between the old and the new level).
  void Move(uint32_t item, Level level);

  // Includes the edge of an item in the next call of SumMarked, which will pass
  // `side` to the function `cost`.
  void Mark(uint32_t item, uint32_t side) {
    const uint32_t rank = ranks_[item];
    marks_[rank / 64] |= uint64_t{1} << (rank % 64);
    sides_[rank] = side;
  }

  // Sums up the marked edges, from the lowest to the highest, and clears the
  // marks. The last element of the result has the level kNoEdge and the sums
  // over all marked edges. `cost(side, &touch, &slope)` sets the costs of an
  // edge. The result is valid until the next call. O(marked + n / 64).
  template <typename Cost>
  const EdgeSum* SumMarked(const Cost& cost);

 private:
  std::vector<Level> levels_;
  std::vector<uint32_t> order_;  // has items by rising edge
  std::vector<uint32_t> ranks_;  // the index in order_ of each item
  std::vector<uint64_t> marks_;  // has one bit per rank
  // The sides that were passed to Mark, by rank. Valid only for marked ranks.
  std::vector<uint32_t> sides_;
  std::vector<EdgeSum> sums_;
};

template <typename Cost>
const EdgeSum* SortedEdges::SumMarked(const Cost& cost) {
  EdgeSum sum = {0, 0, 0, 0};
  EdgeSum* next = sums_.data();
  for (size_t word = 0; word < marks_.size(); ++word) {
    for (uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1) {
      const size_t rank = word * 64 + static_cast<size_t>(countr_zero(bits));
      sum.level = levels_[order_[rank]];
      *next++ = sum;
      uint64_t touch = 0;
      uint64_t slope = 0;
      cost(sides_[rank], &touch, &slope);
      sum.touch += touch;
      sum.slope += slope;
      sum.moment += slope * static_cast<uint64_t>(sum.level);
    }
    marks_[word] = 0;
  }
  sum.level = kNoEdge;
  *next = sum;
  return sums_.data();
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_SORTED_EDGES_H_
