// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/order_breeding.h"

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

// With more items than this, proportionally fewer generations are made.
constexpr uint64_t kItemsForAll = 512;

// Returns the number of nodes of PackingSearch that take as long as evaluating
// an order of this number of items.
uint64_t NodesOfOrder(size_t items) { return 1 + items / 32; }

}  // namespace

OrderBreeding::OrderBreeding(const Packing& packing, Level capacity,
                             LifetimeOrders* orders,
                             const GeneticTuning& tuning)
    : capacity_(capacity),
      orders_(orders),
      tuning_(tuning),
      lowest_first_(packing) {}

uint64_t OrderBreeding::NodesOfGeneration(size_t items,
                                          const GeneticTuning& tuning) {
  return tuning.bred * NodesOfOrder(items);
}

bool OrderBreeding::IsDone() const {
  return generations_ * std::max<uint64_t>(orders_->count(), kItemsForAll) >=
         tuning_.generations * kItemsForAll;
}

bool OrderBreeding::Add(LifetimeOrders::Factors factors, WorkLimit* work,
                        std::vector<Bred>* bred) {
  if (!work->Spend(1 + orders_->count())) return false;
  const auto left = lowest_first_.Left(orders_->Sorted(factors), capacity_);
  bred->push_back({std::move(factors), left});
  return true;
}

uint64_t OrderBreeding::MakeGeneration(WorkLimit* work) {
  const size_t best = std::min(tuning_.best_bred, bred_.size());
  std::vector<Bred> next(bred_.begin(),
                         bred_.begin() + static_cast<ptrdiff_t>(best));
  const size_t drawn = bred_.empty() ? tuning_.bred : best + tuning_.drawn_anew;
  while (next.size() < drawn) {
    if (!Add(orders_->Draw(), work, &next)) return 0;
  }
  while (next.size() < tuning_.bred) {
    const Bred& most = bred_[orders_->Below(best)];
    const Bred& other = bred_[best + orders_->Below(bred_.size() - best)];
    if (!Add(orders_->Cross(most.factors, other.factors), work, &next)) {
      return 0;
    }
  }
  std::stable_sort(next.begin(), next.end(), [](const Bred& a, const Bred& b) {
    return a.left < b.left;
  });
  bred_ = std::move(next);
  ++generations_;
  return (bred_.size() - best) * NodesOfOrder(orders_->count());
}

std::vector<LifetimeOrders::Factors> OrderBreeding::Best(size_t count) const {
  std::vector<LifetimeOrders::Factors> best;
  for (size_t k = 0; k < count; ++k) {
    best.push_back(bred_[k * tuning_.best_bred / count].factors);
  }
  return best;
}

}  // namespace stowage::optimal
