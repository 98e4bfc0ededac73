// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings by several genetic searches (genetic_search.h). It
// proves nothing; for a proof, use Portfolio (portfolio.h).
//
// Each asks a capacity a little below the best packing, since what gets
// there is the best start for what is beyond; a half of them sort what is left
// by its load, the others keep their order. They do not look at each other
// within a round, so the answer is the same for any number of threads as long
// as nothing but a number of nodes limits it.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_GENETIC_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_GENETIC_PORTFOLIO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/genetic_search.h"
#include "optimal/limits.h"
#include "optimal/packing.h"

namespace stowage::optimal {

class GeneticPortfolio {
 public:
  // With a capacity nothing else is asked but whether it suffices. The packing
  // and the signal must outlive the object.
  GeneticPortfolio(const Packing& packing, absl::optional<Level> capacity,
                   const Limits& limits);

  // Gives each so many nodes; what they find improves `known`. Returns
  // the nodes searched.
  uint64_t Round(uint64_t nodes_each, Known* known);

  // What has found the last improvement (Solution::found_by), levels being of
  // `unit` bytes.
  std::string FoundBy(size_t unit) const;

  static constexpr size_t kSearches = 2;

 private:
  struct Breeder {
    GeneticSearch search;
    Level upper = 0;     // that it has found, of the present round
    Level found_at = 0;  // the capacity that it asked then
  };

  Level GoalOf(Level lower, Level upper) const;
  void RunSearch(Level lower, uint64_t nodes, Breeder* breeder) const;

  const Packing& packing_;
  absl::optional<Level> capacity_;
  const Limits limits_;
  std::vector<Breeder> searches_;
  Level found_capacity_ = 0;
  uint64_t found_try_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_GENETIC_PORTFOLIO_H_
