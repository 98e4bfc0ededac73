// SPDX-License-Identifier: Apache-2.0
// Finds smaller packings of any size with several repair searches. These are
// OverlapSearches if the packing has few enough pairs of items, and
// EjectionSearches otherwise. The searches prove nothing; for a proof, use
// Portfolio (portfolio.h).
//
// One of the searches aims at the lower bound directly. The first steps of the
// three other searches are a half, a quarter and a sixteenth of the distance
// from the best packing to the bound. Each of these three takes larger steps
// after a success, and smaller ones after a long time without success. After a
// number of iterations, which grows from restart to restart, a search restarts
// from the best packing with a different seed. If the searches are
// EjectionSearches, two of the four have one policy (EjectionSearch::Manner)
// and two have the other.
//
// The searches are independent within a round, so the result is the same for
// any number of threads as long as the number of iterations is the only limit.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_PORTFOLIO_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_PORTFOLIO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/limits.h"
#include "optimal/repair/neighbours.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/repair_search.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

class RepairPortfolio {
 public:
  // If `capacity` is given, the search only decides whether it is sufficient.
  // The packing and the signal must outlive this object. O(n log n + pairs).
  RepairPortfolio(const Packing& packing, optional<Level> capacity,
                  const Limits& limits);

  // Converts a number of nodes of an exact search to the number of iterations
  // for each repair search, such that all repair searches together take
  // somewhat more time than the exact search. An iteration visits the items
  // that share a step with one item, whereas a node visits all steps of all
  // items.
  uint64_t IterationsFor(uint64_t nodes) const;

  // Runs each search for this number of iterations and stores improvements in
  // `known`. Returns the number of iterations made.
  uint64_t Round(uint64_t iterations_each, Known* known);

  // Returns the text that describes the last improvement in Solution::found_by,
  // with `unit` bytes per level.
  std::string FoundBy(size_t unit) const;

  // Returns the capacity that a search aims at. Requires search < kSearches.
  Level GoalOf(size_t search, const Known& known) const;

  static constexpr size_t kSearches = 4;

 private:
  struct Runner {
    std::unique_ptr<RepairSearch> search;
    uint64_t begun = 0;
    // The number of times that the distance to the bound is halved to get the
    // step.
    int halvings = 0;
    uint64_t iterations = 0;  // the number of iterations in the current round
  };

  std::unique_ptr<RepairSearch> Begin(size_t runner, const Known& known) const;
  void Adapt(Runner* runner) const;
  bool IsSpent(const Runner& runner) const;
  bool IsStale(const Runner& runner, const Known& known) const;
  void ApplyResult(const Runner& runner, Known* known);

  const Packing& packing_;
  Neighbours neighbours_;
  optional<OverlapPairs> pairs_;
  uint64_t steps_of_items_ = 0;  // the sum of the steps of all items
  optional<Level> capacity_;
  Limits limits_;
  std::array<Runner, kSearches> runners_;
  // The capacity of the search that found the last improvement.
  Level found_capacity_ = 0;
  size_t found_runner_ = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_REPAIR_PORTFOLIO_H_
