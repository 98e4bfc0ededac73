// SPDX-License-Identifier: Apache-2.0
// Finds, by a genetic algorithm, orders with which a bottom-left pass places as
// much area as possible. GeneticSearch (genetic_search.h) starts with these
// orders. An order is evaluated by a single pass (LowestFirst), which is fast
// because it tries no alternatives; where alternatives are needed, use
// GeneticSearch.
//
// Each generation keeps the best orders of the previous generation. Each
// further order is generated at random, or is a crossover of one of these best
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
  // Searches for orders that leave little area above the capacity. The packing
  // and the orders must outlive the object. Requires LowestFirst::Takes.
  OrderCrossover(const Packing& packing, Level capacity, LifetimeOrders* orders,
                 const GeneticTuning& tuning);

  // Returns the maximum cost of a generation for this number of items, in nodes
  // of PackingSearch.
  static uint64_t NodesOfGeneration(size_t items, const GeneticTuning& tuning);

  // Makes the next generation, unless `work` ends first; each placed item
  // counts as one unit of work. O(GeneticTuning::offspring * items^2) with a
  // small constant. Returns the cost of the generation in nodes of
  // PackingSearch, or 0 if `work` has ended.
  uint64_t MakeGeneration(WorkLimit* work);

  // Returns whether more generations would no longer be worth their time.
  bool IsDone() const;

  // Returns `count` orders, evenly spread over the best of the last generation.
  // Requires at least one generation, and a count of at most
  // GeneticTuning::best_offspring.
  std::vector<LifetimeOrders::Factors> Best(size_t count) const;

 private:
  struct Offspring {
    LifetimeOrders::Factors factors;
    uint128 left = 0;
  };

  // Evaluates an order and adds it. Returns false if `work` has ended.
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
