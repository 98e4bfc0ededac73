// SPDX-License-Identifier: Apache-2.0
// Many orders for an exact search to prefer items by. Planners that place one
// record at a time take theirs from PlacingOrders (placing_order.h).
//
// The time of a search depends on its order so much that the best of several is
// hundreds of times faster than their average, and no rule says which it is.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "optimal/search_tuning.h"
#include "src/core/random.h"

namespace stowage::optimal {

class DiversifiedOrders {
 public:
  // How many orders are plain; all after them are random neighbours of these.
  static constexpr uint64_t kPlain = 12;

  // The packing and the tuning must outlive the object. O(sum of the items'
  // steps).
  DiversifiedOrders(const Packing& packing, uint64_t seed,
                    const PortfolioTuning& tuning);

  // Order 0, 1, 2, ... without end, of all items that are not fixed. Some
  // neighbours put first what is live where most searches have failed:
  // `failures` counts these by step. O(n log n + sum of the items' steps).
  // Thread-safe.
  SearchOrder Order(uint64_t index,
                    const std::vector<uint64_t>& failures) const;

  // What Order goes by: "load-tasks-area-size" of a plain order, whose keys
  // these are, "load-tasks-area-size, neighbour 57", or
  // "failures-tasks-area-size, neighbour 58". Thread-safe.
  std::string NameOf(uint64_t index) const;

 private:
  // How an order is drawn.
  struct Kind {
    size_t plain = 0;  // the plain order that it is, or is a neighbour of
    bool by_failures = false;
  };

  Kind KindOf(uint64_t index, Random* random) const;

  const Packing& packing_;
  uint64_t seed_;
  const PortfolioTuning& tuning_;
  std::vector<Level> congestion_;  // the broadest of each item's steps
  std::vector<Level> load_;        // the sum of its steps, scaled down
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_
