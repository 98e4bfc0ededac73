// SPDX-License-Identifier: Apache-2.0
// Makes a bottom-left pass: the next item is always one that can lie the
// lowest, and a given order decides between such items. The pass measures how
// far the order gets, in a hundredth of the time that a search takes. To get
// levels, or to try alternatives as well, use PackingSearch (packing_search.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LOWEST_FIRST_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LOWEST_FIRST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/int128.h"

namespace stowage::optimal {

class LowestFirst {
 public:
  // The packing must outlive the object.
  explicit LowestFirst(const Packing& packing);

  // Returns whether the pass can handle this packing and this capacity: all
  // alignments must be 1, no item may be fixed, and levels and steps must fit
  // 16 bits.
  static bool Takes(const Packing& packing, Level capacity);

  // Places the items of the packing. `order` has every item once and decides
  // between items that can lie equally low. Returns the unplaced area: the sum
  // of sizes times steps of the items that would end above the capacity; 0 if
  // all items fit. Requires Takes. O(items^2) with a small constant, on numbers
  // of 16 bits.
  uint128 Left(const std::vector<uint32_t>& order, Level capacity);

 private:
  void Load(const std::vector<uint32_t>& order);
  void Compact(size_t left);
  size_t TakeLowest();
  void Raise(size_t placed, int16_t top);

  const Packing& packing_;
  // The following lists are indexed by position in the order that was given to
  // Left. Some positions may belong to items that are already placed.
  std::vector<int16_t> lowest_;
  std::vector<int16_t> begins_;
  std::vector<int16_t> ends_;
  std::vector<uint32_t> items_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LOWEST_FIRST_H_
