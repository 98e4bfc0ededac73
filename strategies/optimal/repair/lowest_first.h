// SPDX-License-Identifier: Apache-2.0
// Makes a bottom-left pass: always places an item that can be the lowest next,
// and breaks ties by a given order. The pass measures how far the order gets,
// in a hundredth of the time of a search. If levels are needed, or alternatives
// should be tried, use PackingSearch (packing_search.h).
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

  // Returns whether the pass can handle this packing and this capacity, which
  // requires that all alignments are 1, that no item is fixed, and that levels
  // and steps fit 16 bits.
  static bool Takes(const Packing& packing, Level capacity);

  // Places the items of the packing. `order` contains every item once, and
  // determines which of two items that can be equally low is placed first.
  // Returns the unplaced area, which is the sum of sizes times steps of the
  // items that would end above the capacity, or 0 if all items fit. Requires
  // Takes. O(items^2) with a small constant, on numbers of 16 bits.
  uint128 Left(const std::vector<uint32_t>& order, Level capacity);

 private:
  void Load(const std::vector<uint32_t>& order);
  void Compact(size_t left);
  size_t TakeLowest();
  void Raise(size_t placed, int16_t top);

  const Packing& packing_;
  // The following lists are indexed by position in the order passed to Left.
  // Some positions may belong to items that have already been placed.
  std::vector<int16_t> lowest_;
  std::vector<int16_t> begins_;
  std::vector<int16_t> ends_;
  std::vector<uint32_t> items_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LOWEST_FIRST_H_
