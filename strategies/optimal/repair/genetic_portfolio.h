// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings with several genetic searches (genetic_search.h). The
// searches prove nothing; for a proof, use Portfolio (portfolio.h).
//
// Each search aims at a capacity slightly below the best packing, since a
// population that reaches this capacity is the best start for smaller
// capacities. However, after every odd number of restarts it aims at the lower
// bound directly, since an order that fits the bound may be found even if no
// smaller step succeeds. Half of the searches re-sort the remaining items by
// their load, and the other half keep the order of the items. The searches are
// independent within a round, so the result is the same for any number of
// threads as long as the number of nodes is the only limit.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_PORTFOLIO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/limits.h"
#include "optimal/repair/genetic_search.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

class GeneticPortfolio {
 public:
  // If `capacity` is given, the search only decides whether it is sufficient.
  // The packing and the signal must outlive this object.
  GeneticPortfolio(const Packing& packing, optional<Level> capacity,
                   const Limits& limits);

  // Runs each search for at most `nodes_each` nodes and stores improvements in
  // `known`. Returns the number of nodes searched.
  uint64_t Round(uint64_t nodes_each, Known* known);

  // Returns the text that describes the last improvement in Solution::found_by,
  // with `unit` bytes per level.
  std::string FoundBy(size_t unit) const;

  static constexpr size_t kSearches = 2;

 private:
  struct GeneticRun {
    GeneticSearch search;
    Level upper = 0;     // the best height found in this round
    Level found_at = 0;  // the capacity at which `upper` was found
  };

  Level GoalOf(const GeneticRun& run, Level lower) const;
  void RunSearch(Level lower, uint64_t nodes, GeneticRun* run) const;

  const Packing& packing_;
  optional<Level> capacity_;
  const Limits limits_;
  std::vector<GeneticRun> searches_;
  Level found_capacity_ = 0;
  uint64_t found_try_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_GENETIC_PORTFOLIO_H_
