// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings, of any size, by several searches that eject. It
// proves nothing; for a proof, use Portfolio (portfolio.h).
//
// Half of the searches go for the lower bound at once, half for a little less
// than the best packing so far; in both halves there is one of each manner.
// Each begins anew from the best packing, with another seed, when it has failed
// for long, for turns of growing number.
//
// Searches take their turns without looking at each other, so the answer is the
// same for any number of threads as long as nothing but a number of turns
// limits it.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EJECTION_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EJECTION_PORTFOLIO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/ejection_search.h"
#include "optimal/limits.h"
#include "optimal/neighbours.h"
#include "optimal/packing.h"

namespace stowage::optimal {

class EjectionPortfolio {
 public:
  // With a capacity nothing else is asked but whether it suffices. The packing
  // and the signal must outlive the object. O(n log n).
  EjectionPortfolio(const Packing& packing, absl::optional<Level> capacity,
                    const Limits& limits);

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
    std::unique_ptr<EjectionSearch> search;
    uint64_t begun = 0;
    uint64_t turns = 0;  // of the present round
  };

  void Restart(size_t runner, const Known& known);
  void ApplyResult(const Runner& runner, Known* known);

  const Packing& packing_;
  Neighbours neighbours_;
  absl::optional<Level> capacity_;
  Limits limits_;
  std::array<Runner, kSearches> runners_;
  Level found_capacity_ = 0;  // of the search that found the last improvement
  size_t found_runner_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EJECTION_PORTFOLIO_H_
