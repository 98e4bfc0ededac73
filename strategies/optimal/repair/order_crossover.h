// SPDX-License-Identifier: Apache-2.0
// Finds orders with which a bottom-left pass places as much area as possible,
// by a genetic algorithm. GeneticSearch (genetic_search.h) starts with these
// orders. Each order is evaluated by a single pass (LowestFirst), which is fast
// because it tries no alternatives. If alternatives should be tried, use
// GeneticSearch.
//
// Each generation keeps the best orders of the previous generation. Each other
// order is either generated at random, or is a crossover of one of these best
// orders and one of the remaining orders of the previous generation.
//
// Source: Goncalves and Resende, "Biased random-key genetic algorithms for
// combinatorial optimization" (2011); for packing by such algorithms, "A biased
// random key genetic algorithm for 2D and 3D bin packing problems" (2013) by
// the same authors.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_ORDER_CROSSOVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_ORDER_CROSSOVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/lifetime_orders.h"
#include "optimal/repair/lowest_first.h"
#include "optimal/search_tuning.h"
#include "src/base/int128.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {

class OrderCrossover {
 public:
  // Searches for orders that leave little area above the capacity. Requires
  // LowestFirst::Takes. The packing and the orders must outlive this object.
  OrderCrossover(const Packing& packing, Level capacity, LifetimeOrders* orders,
                 const GeneticTuning& tuning);

  // Returns the maximum cost of a generation for this number of items, in nodes
  // of PackingSearch.
  static uint64_t NodesOfGeneration(size_t items, const GeneticTuning& tuning);

  // Makes the next generation, unless `work` is used up first; each placed item
  // counts as one unit of work. Returns the cost of the generation in nodes of
  // PackingSearch, or 0 if `work` was used up. O(GeneticTuning::offspring *
  // items^2) with a small constant.
  uint64_t MakeGeneration(WorkLimit* work);

  // Returns whether further generations would no longer be worth their time.
  bool IsDone() const;

  // Returns `count` orders, evenly spread over the best orders of the last
  // generation. Requires that at least one generation was made, and that
  // `count` is at most GeneticTuning::best_offspring.
  std::vector<LifetimeOrders::Factors> Best(size_t count) const;

 private:
  struct Offspring {
    LifetimeOrders::Factors factors;
    uint128 left = 0;
  };

  // Evaluates an order and adds it. Returns false if `work` is used up.
  bool Add(LifetimeOrders::Factors factors, WorkLimit* work,
           std::vector<Offspring>* offspring);

  const Level capacity_;
  LifetimeOrders* const orders_;
  const GeneticTuning tuning_;
  LowestFirst lowest_first_;
  // The last generation, with the best offspring first.
  std::vector<Offspring> offspring_;
  uint64_t generations_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_ORDER_CROSSOVER_H_
