// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings by a genetic search over orders, in which short exact
// searches show how far each order gets. The genetic search proves nothing; for
// a proof, use Portfolio (portfolio.h). If no order gets far, use OverlapSearch
// (overlap_search.h), which moves the items of a packing instead.
//
// The population starts with orders found by OrderCrossover if it can handle
// the packing, and with random orders otherwise. Each try creates an offspring
// of two orders by crossover and changes a few of its factors. The exact search
// with the offspring is cut off after a few nodes per item. The items that
// remain unplaced determine whether the offspring replaces a parent or the
// worst member. After many tries without success, the search starts over with a
// new population.
//
// Source: Hopper and Turton, "An empirical investigation of meta-heuristic and
// heuristic algorithms for a 2D packing problem" (2001), for the search of
// orders that a placing rule decodes; Whitley, "The GENITOR algorithm and
// selection pressure" (1989), for populations in which one member is replaced
// at a time.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/lifetime_orders.h"
#include "optimal/repair/order_crossover.h"
#include "optimal/search_tuning.h"
#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

class GeneticSearch {
 public:
  // For `by_load`, see SearchOrder. The packing must outlive this object.
  GeneticSearch(const Packing& packing, bool by_load, uint64_t seed,
                const GeneticTuning& tuning);

  // Tries orders at a capacity. Stops when an order fits, when it is proved
  // that nothing fits, when `work` is used up, or when the next try or
  // generation could exceed the remaining `nodes`. Returns whether an order
  // fits. Requires that all fixed items end within the capacity. O(items log
  // items + items * steps + population) per try, plus the nodes of
  // PackingSearch.
  bool Run(Level capacity, uint64_t nodes, WorkLimit* work);

  // Returns the levels, by item, of the last packing that fitted.
  const std::vector<Level>& levels() const { return levels_; }
  // Returns the smallest unplaced area (sum of sizes times steps) of any order
  // in the population at the last capacity, or nullopt if some of these orders
  // have not been tried at this capacity yet.
  optional<uint128> least_left() const;
  // Returns the total number of nodes, including those of OrderCrossover.
  uint64_t nodes() const { return nodes_; }
  uint64_t tries() const { return tries_; }
  // Returns the number of times that the search has started over.
  uint64_t restarts() const { return restarts_; }

 private:
  struct Member {
    LifetimeOrders::Factors factors;
    // The unplaced area at capacity_, or nullopt before a try.
    optional<uint128> left;
  };
  enum class Outcome { kFits, kOpen, kStopped, kExhausted };

  static bool LeavesLess(const Member& a, const Member& b) {
    return *a.left < *b.left;
  }

  uint64_t NodesOfTry() const;
  uint64_t NodesOfStep() const;
  bool IsFull() const { return population_.size() >= tuning_.population; }
  void Populate(WorkLimit* work);
  void Forget();
  Outcome Step(WorkLimit* work);
  Outcome Try(Member* member, WorkLimit* work);
  Member Recombine(size_t parent);
  size_t PickParent();
  size_t Worst() const;
  void Insert(size_t parent, Member child);

  const Packing& packing_;
  const bool by_load_;
  const GeneticTuning tuning_;
  LifetimeOrders orders_;
  const Level crossover_capacity_;
  const bool uses_crossover_;
  optional<OrderCrossover> crossover_;
  std::vector<Member> population_;
  // The first tried_ members of the population have been tried at capacity_.
  size_t tried_ = 0;
  // The capacity at which the population was tried.
  Level capacity_ = kUnplaced;
  Level exhausted_ = kUnplaced;  // a capacity that is proved not to suffice
  // The number of tries since the last one that left less area unplaced than
  // every member.
  uint64_t vain_tries_ = 0;
  std::vector<Level> levels_;
  uint64_t nodes_ = 0;
  uint64_t tries_ = 0;
  uint64_t restarts_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_SEARCH_H_
