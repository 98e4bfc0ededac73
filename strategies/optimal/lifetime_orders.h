// SPDX-License-Identifier: Apache-2.0
// Orders of items by lifetime times a factor, drawn at random and crossed: what
// OrderBreeding and GeneticSearch breed. For plain orders, and neighbours that
// keep their keys, use DiversifiedOrders (diversified_order.h).
//
// A search that places the lowest item next has little left to choose: which of
// several comes first that could lie at the same level. The longest lifetime is
// the best rule known, but where items are many and small a neighbour of its
// order leaves a fraction of the waste.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LIFETIME_ORDERS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LIFETIME_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/packing.h"
#include "src/core/random.h"

namespace stowage::optimal {

class LifetimeOrders {
 public:
  // Of each item that is not fixed.
  using Factors = std::vector<uint16_t>;

  // Reads the packing only here. O(items log items).
  LifetimeOrders(const Packing& packing, uint64_t seed);

  // How many items are not fixed.
  size_t count() const { return items_.size(); }

  Factors Draw();
  // Draws so many of them anew. Requires count() > 0.
  void Change(uint64_t changes, Factors* factors);
  // Most factors of the first, the others of the second.
  Factors Cross(const Factors& most, const Factors& others);
  // A number from 0 to bound - 1.
  size_t Below(size_t bound) {
    return static_cast<size_t>(random_.Below(bound));
  }

  // The numbers of the items in the packing, the largest product of lifetime
  // and factor first, then the largest size. O(items log items).
  std::vector<uint32_t> Sorted(const Factors& factors);

 private:
  uint16_t DrawFactor();

  Random random_;
  std::vector<uint32_t> items_;      // not fixed, the largest size first
  std::vector<uint64_t> lifetimes_;  // theirs, in 48 bits
  std::vector<std::pair<uint64_t, uint32_t>> keys_;  // scratch
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LIFETIME_ORDERS_H_
