// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/order_crossover.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/lifetime_orders.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {
namespace {

// The maximum number of items for which all generations are made. With more
// items, the number of generations decreases proportionally.
constexpr uint64_t kItemsForAll = 512;

// Returns the time that it takes to evaluate an order of this number of items,
// in nodes of PackingSearch.
uint64_t NodesOfOrder(size_t items) { return 1 + items / 32; }

}  // namespace

OrderCrossover::OrderCrossover(const Packing& packing, Level capacity,
                               LifetimeOrders* orders,
                               const GeneticTuning& tuning)
    : capacity_(capacity),
      orders_(orders),
      tuning_(tuning),
      lowest_first_(packing) {}

uint64_t OrderCrossover::NodesOfGeneration(size_t items,
                                           const GeneticTuning& tuning) {
  return tuning.offspring * NodesOfOrder(items);
}

bool OrderCrossover::IsDone() const {
  return generations_ * std::max<uint64_t>(orders_->count(), kItemsForAll) >=
         tuning_.generations * kItemsForAll;
}

bool OrderCrossover::Add(LifetimeOrders::Factors factors, WorkLimit* work,
                         std::vector<Offspring>* offspring) {
  if (!work->Spend(1 + orders_->count())) return false;
  const auto left = lowest_first_.Left(orders_->Sorted(factors), capacity_);
  offspring->push_back({std::move(factors), left});
  return true;
}

uint64_t OrderCrossover::MakeGeneration(WorkLimit* work) {
  const size_t best = std::min(tuning_.best_offspring, offspring_.size());
  std::vector<Offspring> next(
      offspring_.begin(), offspring_.begin() + static_cast<ptrdiff_t>(best));
  const size_t sampled =
      offspring_.empty() ? tuning_.offspring : best + tuning_.sampled_anew;
  while (next.size() < sampled) {
    if (!Add(orders_->Sample(), work, &next)) return 0;
  }
  while (next.size() < tuning_.offspring) {
    const Offspring& first = offspring_[orders_->Below(best)];
    const Offspring& second =
        offspring_[best + orders_->Below(offspring_.size() - best)];
    if (!Add(orders_->Cross(first.factors, second.factors), work, &next)) {
      return 0;
    }
  }
  std::stable_sort(
      next.begin(), next.end(),
      [](const Offspring& a, const Offspring& b) { return a.left < b.left; });
  offspring_ = std::move(next);
  ++generations_;
  return (offspring_.size() - best) * NodesOfOrder(orders_->count());
}

std::vector<LifetimeOrders::Factors> OrderCrossover::Best(size_t count) const {
  std::vector<LifetimeOrders::Factors> best;
  for (size_t k = 0; k < count; ++k) {
    best.push_back(offspring_[k * tuning_.best_offspring / count].factors);
  }
  return best;
}

}  // namespace stowage::optimal
