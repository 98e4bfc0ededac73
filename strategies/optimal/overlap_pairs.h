// SPDX-License-Identifier: Apache-2.0
// All pairs of items that share a step, for OverlapSearch (overlap_search.h):
// only for packings that are small enough for them. For what shares a step with
// one item, without a list of pairs, use Neighbours (neighbours.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_PAIRS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/neighbours.h"
#include "optimal/packing.h"

namespace stowage::optimal {

class OverlapPairs {
 public:
  // One end of a pair.
  struct Side {
    uint32_t other;   // the item at the other end
    uint32_t mirror;  // that item's side of the same pair
  };

  // Costs of so many sides of one item can be added (overlap_search.cc).
  static constexpr size_t kMostOfAnItem = size_t{1} << 14;

  // Nothing if there may be more than `most_sides` in all, or more than
  // kMostOfAnItem of any item: each is counted with itself, and seldom with
  // others that it does not meet. O(n log n + sides).
  static absl::optional<OverlapPairs> Make(const Packing& packing,
                                           const Neighbours& neighbours,
                                           size_t most_sides);

  // The sides of an item: [SidesBegin, SidesEnd).
  size_t SidesBegin(uint32_t item) const { return begins_[item]; }
  size_t SidesEnd(uint32_t item) const { return begins_[item + 1]; }
  const Side& operator[](size_t side) const { return sides_[side]; }
  size_t size() const { return sides_.size(); }

 private:
  std::vector<size_t> begins_;
  std::vector<Side> sides_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_PAIRS_H_
