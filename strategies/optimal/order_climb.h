// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings by improving an order: short exact searches show how
// far each order gets. It proves nothing; for a proof, use Portfolio
// (portfolio.h), and to move the items of a packing, OverlapSearch
// (overlap_search.h), which is better where no order gets far.
//
// A search that places the lowest item next has little left to choose: which of
// several comes first that could lie at the same level. The longest lifetime is
// the best rule known, but where items are many and small a neighbour of its
// order leaves a fraction of the waste. So lifetimes are multiplied by random
// factors; a try draws a few of these anew, and is kept if its search, cut off
// after a few nodes for each item, has not left more to place than the best one
// before at the same capacity. After many tries in vain all are drawn anew.
//
// Source: Hopper and Turton, "An empirical investigation of meta-heuristic and
// heuristic algorithms for a 2D packing problem" (2001), for the search of
// orders that a placing rule decodes.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_ORDER_CLIMB_H_
#define STOWAGE_STRATEGIES_OPTIMAL_ORDER_CLIMB_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "optimal/search_tuning.h"
#include "src/core/random.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

class OrderClimb {
 public:
  // `by_load` as in SearchOrder. The packing must outlive the object.
  OrderClimb(const Packing& packing, bool by_load, uint64_t seed,
             const ClimbTuning& tuning);

  // Tries orders at a capacity, each for some nodes, until one fits or so many
  // nodes are searched or `work` ends, or nothing can fit. Returns whether one
  // fits. Requires that all fixed items end within the capacity.
  // O(items log items + items * steps) for a try, and as PackingSearch for each
  // node.
  bool Run(Level capacity, uint64_t nodes, WorkLimit* work);

  // The levels of the last one that fitted, by item.
  const std::vector<Level>& levels() const { return levels_; }
  // What the best order has left to place at the capacity asked last, as the
  // sum of sizes times steps; nothing before a try there.
  absl::optional<absl::uint128> least_left() const { return least_left_; }
  // In all.
  uint64_t nodes() const { return nodes_; }
  uint64_t tries() const { return tries_; }

 private:
  uint32_t DrawFactor();
  void DrawFactors();
  void Compare(absl::uint128 left, std::vector<uint32_t> factors);
  SearchOrder OrderOf(const std::vector<uint32_t>& factors) const;

  const Packing& packing_;
  const bool by_load_;
  const ClimbTuning tuning_;
  Random random_;
  std::vector<uint32_t> items_;    // that are not fixed
  std::vector<uint32_t> factors_;  // by item, of the best order
  Level capacity_ = kUnplaced;     // that it was tried at
  Level exhausted_ = kUnplaced;    // a capacity that was shown not to suffice
  absl::optional<absl::uint128> least_left_;
  uint64_t vain_tries_ = 0;  // since it left less than any before
  std::vector<Level> levels_;
  uint64_t nodes_ = 0;
  uint64_t tries_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_ORDER_CLIMB_H_
