// Many orders for a search to prefer items by.
//
// The time of a search depends on its order so much that the best of several is
// hundreds of times faster than their average, and no rule says which it is.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_

#include <cstdint>
#include <vector>

#include "optimal/packing.h"

namespace stowage::optimal {

class DiversifiedOrders {
 public:
  // How many orders are exact; all after them are their random neighbours.
  static constexpr uint64_t kExact = 8;

  // The packing must outlive the object. O(sum of the items' steps).
  DiversifiedOrders(const Packing& packing, uint64_t seed);

  // Order 0, 1, 2, ... without end, of all items that are not fixed.
  // O(n log n). Thread-safe.
  std::vector<uint32_t> Order(uint64_t index) const;

 private:
  const Packing& packing_;
  uint64_t seed_;
  std::vector<Level> congestion_;  // the most that is alive beside each item
  std::vector<Level> company_;     // the sum over its steps, scaled down
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_DIVERSIFIED_ORDER_H_
