// SPDX-License-Identifier: Apache-2.0
// Lists all pairs of items that share a step, for OverlapSearch
// (overlap_search.h), if the packing is small enough. To find the items that
// share a step with one item without a list of pairs, use Neighbours
// (neighbours.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PAIRS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/neighbours.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

class OverlapPairs {
 public:
  // A pair of items, as seen from one of the two items. Each pair has two
  // sides.
  struct Side {
    uint32_t other;  // the other item of the pair
    // The index of the other side of this pair.
    uint32_t mirror;
  };

  // The maximum number of sides of one item. Up to this number, the sum of the
  // costs of the sides cannot overflow (overlap_search.cc).
  static constexpr size_t kMaxOfAnItem = size_t{1} << 14;

  // Returns the pairs, or nullopt if there may be more than `max_sides` sides
  // in total, or more than kMaxOfAnItem sides of one item. The number of sides
  // of an item is estimated by the upper bound Neighbours::CountAtMost, which
  // also counts the item itself and, in rare cases, items that share no step
  // with it. O(n log n + sides).
  static optional<OverlapPairs> Make(const Packing& packing,
                                     const Neighbours& neighbours,
                                     size_t max_sides);

  // Return the range [SidesBegin, SidesEnd) of the sides of an item.
  size_t SidesBegin(uint32_t item) const { return begins_[item]; }
  size_t SidesEnd(uint32_t item) const { return begins_[item + 1]; }
  const Side& operator[](size_t side) const { return sides_[side]; }
  size_t size() const { return sides_.size(); }

 private:
  std::vector<size_t> begins_;
  std::vector<Side> sides_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PAIRS_H_
