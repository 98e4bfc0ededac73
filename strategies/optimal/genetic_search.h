// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings by breeding orders: short exact searches show how far
// each order gets. It proves nothing; for a proof, use Portfolio (portfolio.h),
// and to move the items of a packing, OverlapSearch (overlap_search.h), which
// is better where no order gets far.
//
// The population begins with orders that OrderBreeding has found, as far as it
// takes the packing, else with random ones. A try crosses two orders and
// changes a few factors; its search is cut off after a few nodes for each item,
// and what that has left to place decides whether it replaces a parent, or the
// worst of all. After many tries in vain all begins anew.
//
// Source: Hopper and Turton, "An empirical investigation of meta-heuristic and
// heuristic algorithms for a 2D packing problem" (2001), for the search of
// orders that a placing rule decodes; Whitley, "The GENITOR algorithm and
// selection pressure" (1989), for populations that change one by one.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_GENETIC_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_GENETIC_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "optimal/lifetime_orders.h"
#include "optimal/order_breeding.h"
#include "optimal/packing.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class GeneticSearch {
 public:
  // `by_load` as in SearchOrder. The packing must outlive the object.
  GeneticSearch(const Packing& packing, bool by_load, uint64_t seed,
                const GeneticTuning& tuning);

  // Tries orders at a capacity until one fits, or another try or generation
  // could take more than so many nodes, or `work` ends, or nothing can fit.
  // Returns whether one fits. Requires that all fixed items end within the
  // capacity. O(items log items + items * steps + population) for a try, and as
  // PackingSearch for each node.
  bool Run(Level capacity, uint64_t nodes, WorkLimit* work);

  // The levels of the last one that fitted, by item.
  const std::vector<Level>& levels() const { return levels_; }
  // What the best order of the population has left to place at the capacity
  // asked last, as the sum of sizes times steps; nothing before all are tried
  // there.
  absl::optional<absl::uint128> least_left() const;
  // In all, breeding included.
  uint64_t nodes() const { return nodes_; }
  uint64_t tries() const { return tries_; }

 private:
  struct Member {
    LifetimeOrders::Factors factors;
    absl::optional<absl::uint128> left;  // at capacity_; nothing before a try
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
  Member Breed(size_t parent);
  size_t PickParent();
  size_t Worst() const;
  void Insert(size_t parent, Member child);

  const Packing& packing_;
  const bool by_load_;
  const GeneticTuning tuning_;
  LifetimeOrders orders_;
  const Level breeding_capacity_;
  const bool is_bred_;
  absl::optional<OrderBreeding> breeding_;
  std::vector<Member> population_;
  size_t tried_ = 0;             // of the population, at capacity_
  Level capacity_ = kUnplaced;   // that the population was tried at
  Level exhausted_ = kUnplaced;  // a capacity that was shown not to suffice
  uint64_t vain_tries_ = 0;      // since one has left less than all others
  std::vector<Level> levels_;
  uint64_t nodes_ = 0;
  uint64_t tries_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_GENETIC_SEARCH_H_
