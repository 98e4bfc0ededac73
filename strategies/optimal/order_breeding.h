// SPDX-License-Identifier: Apache-2.0
// Breeds orders that get far when the lowest item is placed next: what
// GeneticSearch (genetic_search.h) begins with. It is fast, since it tries no
// alternative to what an order says, and ends where that has to be done.
//
// In each generation the best of the last one stay; each of the others is a
// cross of one of these and another, or is drawn anew.
//
// Source: Goncalves and Resende, "Biased random-key genetic algorithms for
// combinatorial optimization" (2011); for packing by them, the same authors'
// "A biased random key genetic algorithm for 2D and 3D bin packing problems"
// (2013).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_ORDER_BREEDING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_ORDER_BREEDING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "optimal/lifetime_orders.h"
#include "optimal/lowest_first.h"
#include "optimal/packing.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class OrderBreeding {
 public:
  // Asks for orders that leave little above the capacity. The packing and the
  // orders must outlive the object. Requires LowestFirst::Takes.
  OrderBreeding(const Packing& packing, Level capacity, LifetimeOrders* orders,
                const GeneticTuning& tuning);

  // What a generation of so many items takes at most, in nodes of
  // PackingSearch.
  static uint64_t NodesOfGeneration(size_t items, const GeneticTuning& tuning);

  // Makes the next generation, O(bred * items^2) with a small constant, unless
  // `work` ends before that; a unit of it is an item placed. Returns what that
  // takes, as NodesOfGeneration.
  uint64_t MakeGeneration(WorkLimit* work);

  // Whether more of them are not worth their time.
  bool IsDone() const;

  // So many, evenly from the best of the last generation. Requires one, and a
  // count of at most GeneticTuning::best_bred.
  std::vector<LifetimeOrders::Factors> Best(size_t count) const;

 private:
  struct Bred {
    LifetimeOrders::Factors factors;
    absl::uint128 left = 0;
  };

  // False if `work` has ended.
  bool Add(LifetimeOrders::Factors factors, WorkLimit* work,
           std::vector<Bred>* bred);

  const Level capacity_;
  LifetimeOrders* const orders_;
  const GeneticTuning tuning_;
  LowestFirst lowest_first_;
  std::vector<Bred> bred_;  // the last generation, the best first
  uint64_t generations_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_ORDER_BREEDING_H_
