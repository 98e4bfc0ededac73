// SPDX-License-Identifier: Apache-2.0
// Generates random orders of items for OrderCrossover and GeneticSearch, and
// recombines these orders. Items are sorted by the product of their lifetime
// and a random factor. For plain orders, and for neighbours that keep their
// keys, use DiversifiedOrders (diversified_order.h).
//
// A search that always places the lowest item next can only choose the order of
// items that could be at the same level. The best known rule is to place items
// with longer lifetimes first. If there are many small items, however, some
// orders that differ little from this rule waste only a fraction of the space.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LIFETIME_ORDERS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LIFETIME_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "stowage/base/random.h"

namespace stowage::optimal {

class LifetimeOrders {
 public:
  // One factor for each item that is not fixed.
  using Factors = std::vector<uint16_t>;

  // The packing is used only in the constructor. O(items log items).
  LifetimeOrders(const Packing& packing, uint64_t seed);

  // Returns the number of items that are not fixed.
  size_t count() const { return items_.size(); }

  // Generates random factors.
  Factors Sample();
  // Regenerates `changes` of the factors. Requires count() > 0.
  void Change(uint64_t changes, Factors* factors);
  // Returns a crossover, which takes most factors from the parent `first` and
  // the remaining ones from the parent `second`.
  Factors Cross(const Factors& first, const Factors& second);
  // Returns a random number from 0 to bound - 1.
  size_t Below(size_t bound) {
    return static_cast<size_t>(random_.Below(bound));
  }

  // Returns the indices of the items in the packing, sorted by decreasing
  // product of lifetime and factor, and then by decreasing size. O(items log
  // items).
  std::vector<uint32_t> Sorted(const Factors& factors);

 private:
  uint16_t SampleFactor();

  Random random_;
  // The items that are not fixed, by decreasing size.
  std::vector<uint32_t> items_;
  std::vector<uint64_t> lifetimes_;  // the lifetimes of items_, in 48 bits
  std::vector<std::pair<uint64_t, uint32_t>> keys_;  // is scratch memory
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_LIFETIME_ORDERS_H_
