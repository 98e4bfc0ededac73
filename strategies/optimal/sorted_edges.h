// SPDX-License-Identifier: Apache-2.0
// The lower or the upper edges of all items of a packing in order of level, and
// sums over those around one item: for OverlapSearch (overlap_search.h), which
// needs both kinds.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SORTED_EDGES_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SORTED_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/bits.h"
#include "optimal/packing.h"

namespace stowage::optimal {

// One edge around an item, and sums over all edges below it. Sums wrap around,
// and so do their differences: what is small in the end is exact.
struct EdgeSum {
  Level level;
  uint64_t touch;   // of what costs the same at any depth
  uint64_t slope;   // of what one unit of depth costs
  uint64_t moment;  // of slope times level
};

class SortedEdges {
 public:
  static constexpr Level kNoEdge = 2 * kMaxLevel - 1;

  // One edge for each item, at these levels. O(n log n).
  explicit SortedEdges(const std::vector<Level>& levels);

  // By item.
  const std::vector<Level>& levels() const { return levels_; }

  // O(edges between the old and the new level).
  void Move(uint32_t item, Level level);

  // Adds the edge of an item to the next sum, `side` being what the costs are
  // found by.
  void Mark(uint32_t item, uint32_t side) {
    const uint32_t rank = ranks_[item];
    marks_[rank / 64] |= uint64_t{1} << (rank % 64);
    sides_[rank] = side;
  }

  // Sums what is marked, from the lowest edge, and removes the marks. The last
  // sum is over all, at kNoEdge. `cost(side, &touch, &slope)` says what an edge
  // adds. O(marked + n / 64); valid until the next call.
  template <typename Cost>
  const EdgeSum* SumMarked(const Cost& cost);

 private:
  std::vector<Level> levels_;
  std::vector<uint32_t> order_;  // items from the lowest edge
  std::vector<uint32_t> ranks_;  // by item: in order_
  std::vector<uint64_t> marks_;  // a bit for each rank
  std::vector<uint32_t> sides_;  // by rank, where there is a mark
  std::vector<EdgeSum> sums_;
};

template <typename Cost>
const EdgeSum* SortedEdges::SumMarked(const Cost& cost) {
  EdgeSum sum = {0, 0, 0, 0};
  EdgeSum* next = sums_.data();
  for (size_t word = 0; word < marks_.size(); ++word) {
    for (uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1) {
      const size_t rank =
          word * 64 + static_cast<size_t>(absl::countr_zero(bits));
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

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SORTED_EDGES_H_
