// SPDX-License-Identifier: Apache-2.0
// Generates many orders of items for an exact search. Strategies that place one
// record at a time use PlacingOrders (placing_order.h) instead.
//
// The time of a search depends heavily on its order: the best of several orders
// is hundreds of times faster than the average order, and no rule is known that
// predicts the best one.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_DIVERSIFIED_ORDER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_DIVERSIFIED_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "optimal/search_tuning.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

class DiversifiedOrders {
 public:
  // The number of plain orders. All further orders are random neighbours of
  // plain orders.
  static constexpr uint64_t kPlain = 12;

  // The packing and the tuning must outlive this object. O(sum of the items'
  // steps).
  DiversifiedOrders(const Packing& packing, uint64_t seed,
                    const PortfolioTuning& tuning);

  // Returns an order of all items that are not fixed. `index` may be any number
  // from 0 up. `failures` counts the failures at each step: some neighbours
  // begin with the items that are live at the steps with the most failures. O(n
  // log n + sum of the items' steps). Thread-safe.
  SearchOrder Order(uint64_t index,
                    const std::vector<uint64_t>& failures) const;

  // Returns the name of an order, which consists of its sort keys:
  // "load-tasks-area-size" for a plain order, "load-tasks-area-size, neighbour
  // 57" or "failures-tasks-area-size, neighbour 58" for a neighbour.
  // Thread-safe.
  std::string NameOf(uint64_t index) const;

 private:
  // Describes how an order is generated.
  struct Kind {
    // The index of this order if it is plain, or of the plain order that it is
    // a neighbour of.
    size_t plain = 0;
    bool by_failures = false;
  };

  Kind KindOf(uint64_t index, Random* random) const;

  const Packing& packing_;
  uint64_t seed_;
  const PortfolioTuning& tuning_;
  // The largest breadth among the steps of each item.
  std::vector<Level> congestion_;
  // The sum of the breadths of the steps of each item, scaled down.
  std::vector<Level> load_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_DIVERSIFIED_ORDER_H_
