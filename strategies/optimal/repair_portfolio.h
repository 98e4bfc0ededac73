// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings, of any size, by several searches that repair: with
// overlaps where there are few enough pairs of items for them, else by
// ejection. It proves nothing; for a proof, use Portfolio (portfolio.h).
//
// One of the searches goes for the lower bound at once, the others for a half,
// a quarter and a sixteenth of the way there, at first: each goes further where
// it has succeeded, and less far where it has failed for long. Each begins anew
// from the best packing, with another seed, for turns of growing number. Of
// those that eject there are two of each manner.
//
// Searches take their turns without looking at each other, so the answer is the
// same for any number of threads as long as nothing but a number of turns
// limits it.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_PORTFOLIO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/limits.h"
#include "optimal/neighbours.h"
#include "optimal/overlap_pairs.h"
#include "optimal/packing.h"
#include "optimal/repair_search.h"

namespace stowage::optimal {

class RepairPortfolio {
 public:
  // With a capacity nothing else is asked but whether it suffices. The packing
  // and the signal must outlive the object. O(n log n + pairs).
  RepairPortfolio(const Packing& packing, absl::optional<Level> capacity,
                  const Limits& limits);

  // Turns of each search beside so many nodes of an exact search, all together
  // for somewhat more time: a turn looks at what shares a step with an item, a
  // node at all steps of all items.
  uint64_t TurnsFor(uint64_t nodes) const;

  // Gives each search so many turns; what they find improves `known`. Returns
  // the turns taken.
  uint64_t Round(uint64_t turns_each, Known* known);

  // What has found the last improvement (Solution::found_by), levels being of
  // `unit` bytes.
  std::string FoundBy(size_t unit) const;

  // The capacity that a search, of kSearches, goes for.
  Level GoalOf(size_t search, const Known& known) const;

  static constexpr size_t kSearches = 4;

 private:
  struct Runner {
    std::unique_ptr<RepairSearch> search;
    uint64_t begun = 0;
    int halvings = 0;    // of the way to the bound
    uint64_t turns = 0;  // of the present round
  };

  std::unique_ptr<RepairSearch> Begin(size_t runner, const Known& known) const;
  void Adapt(Runner* runner) const;
  bool IsSpent(const Runner& runner) const;
  bool IsStale(const Runner& runner, const Known& known) const;
  void ApplyResult(const Runner& runner, Known* known);

  const Packing& packing_;
  Neighbours neighbours_;
  absl::optional<OverlapPairs> pairs_;
  uint64_t steps_of_items_ = 0;  // the sum
  absl::optional<Level> capacity_;
  Limits limits_;
  std::array<Runner, kSearches> runners_;
  Level found_capacity_ = 0;  // of the search that found the last improvement
  size_t found_runner_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_PORTFOLIO_H_
