// SPDX-License-Identifier: Apache-2.0
// Places items in an order, always one of those that can lie the lowest: how
// far an order gets, in a hundredth of the time that a search takes. For
// levels, and where it matters what else could be tried, use PackingSearch
// (packing_search.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LOWEST_FIRST_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LOWEST_FIRST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "optimal/packing.h"

namespace stowage::optimal {

class LowestFirst {
 public:
  // The packing must outlive the object.
  explicit LowestFirst(const Packing& packing);

  // Whether it can place these items below this capacity: they can lie at any
  // level, none is fixed, and what it counts fits 16 bits.
  static bool Takes(const Packing& packing, Level capacity);

  // Places the items of the packing, ties in this order, and returns the sum of
  // sizes times steps of those that would have ended above the capacity; 0 if
  // all fit. Requires Takes and every item once. O(items^2), sixteen bits each.
  absl::uint128 Left(const std::vector<uint32_t>& order, Level capacity);

 private:
  void Load(const std::vector<uint32_t>& order);
  void Compact(size_t left);
  size_t TakeLowest();
  void Raise(size_t placed, int16_t top);

  const Packing& packing_;
  // By place in the order, of those left and of some that were placed.
  std::vector<int16_t> floors_;
  std::vector<int16_t> begins_;
  std::vector<int16_t> ends_;
  std::vector<uint32_t> items_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LOWEST_FIRST_H_
