// SPDX-License-Identifier: Apache-2.0
// Searches for the plan of least cost under constraints and, among the plans of
// that cost, for the one with the smallest total. Without constraints, use
// OffsetsSearch (offsets_search.h).
//
// With one pool, a single call of FindBestPlan is enough. With several pools,
// SelectPools assigns a pool to each item at the least cost, such that the
// items that are live together fit their pools. Each pool is then packed. If a
// set of items cannot be packed, the set becomes a nogood, and the selection is
// repeated. The first selection that can be packed therefore has the least
// cost. Among all selections of that cost, the one with the smallest total is
// kept.
//
// If pairs pay for sharing bytes, a selection with more expensive pools may
// have a lower total cost. Other selections are therefore packed as well: all
// of them if there are few, and otherwise those that result from moving one or
// two items. The latter are packed without such pairs, too, unless the plan is
// proved optimal.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_CONSTRAINED_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_CONSTRAINED_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "optimal/constrained/group_optimum.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "src/bounds/reuse_bound.h"
#include "src/construct/construct_pools.h"
#include "src/model/watch.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class ConstrainedSearch {
 public:
  // Requires that the problem has constraints. Both arguments must outlive this
  // object.
  ConstrainedSearch(const Problem& problem, const SolveOptions& options);

  Solution Run();

 private:
  // The maximum number of items of a nogood that is reduced. The reduction
  // tries to remove each item in turn.
  static constexpr size_t kMaxReduced = 64;
  // The result of packing a set of records into one pool.
  struct Packed {
    GroupAnswer answer;
    std::vector<size_t> offsets;  // by record, if there is a plan
    bool is_made = false;         // false if levels would overflow
  };
  struct Best {
    std::vector<uint32_t> pools;  // by record; empty without pools
    std::vector<size_t> offsets;
    uint64_t total = 0;
    uint64_t cost = 0;  // the cost of the pairs that share a byte
    std::string found_by;
    bool is_set = false;
  };

  void BoundPairs();
  Solution SolveOnePool();
  // Returns the limits for a search over all records in one pool. The limits
  // make the search report its plans and let it raise the bound of the cost.
  GroupLimits LimitsOfWhole();
  void Report(const GroupAnswer& answer);
  Solution SolvePools();
  Packed Pack(Span<const uint32_t> records, uint32_t pool,
              const GroupLimits& limits);
  const Packed& PackOnce(std::vector<uint32_t> records, uint32_t pool);
  rigid::PoolLimits LimitsOfSelections() const;
  // Tries several selections and stores the best plan in best_. Adds a nogood
  // for each selection that cannot be packed.
  void TrySelections(const rigid::PoolSelections& selected);
  void TrySelection(const std::vector<uint32_t>& pools);
  void ImproveSelection();
  void ImproveCosts();
  GroupLimits HalfOfLimits() const;
  bool IsOver() const;
  void TryAllSelections(uint64_t cost, std::vector<uint32_t>* pools);
  void MoveItems();
  bool HasChoice(uint32_t item, uint32_t pool) const;
  uint64_t PoolCostOf(Span<const uint32_t> pools) const;
  Best EmptyPlan() const;
  static void AddPool(Span<const uint32_t> records, uint32_t pool,
                      const Packed& packed, Best* plan);
  bool CompareSelection(const std::vector<uint32_t>& pools);
  const Packed& PackToCompare(const std::vector<uint32_t>& records,
                              uint32_t pool);
  Best ConstructTwice() const;
  bool SelectInRounds(const Best& constructed, uint64_t* cost_bound);
  // Converts a constructed plan to a Best. If `packed` has no plan, the result
  // has `is_set` false.
  static Best BestOf(StatusOr<optional<rigid::PackedPools>> packed);
  // Returns whether `best` costs less than `other`, or costs the same and has
  // the smaller total.
  bool IsBetter(const Best& best, const Best& other) const;
  uint64_t CostOf(const Best& best) const;
  std::vector<std::vector<uint32_t>> RecordsByPool(
      const std::vector<uint32_t>& pools) const;
  void AddNogood(const std::vector<uint32_t>& pools, uint32_t pool);
  // Returns whether it is proved that no plan of the records fits the pool.
  bool IsInfeasible(Span<const uint32_t> records, uint32_t pool);
  // Returns the solution for the case that these records have no plan. It is
  // not known whether all of them are needed for the conflict.
  Solution Infeasible(Span<const uint32_t> conflict) const;
  Solution InfeasibleInPools() const;
  Solution SolutionOfBest(uint64_t bound, uint64_t cost_bound);
  GroupLimits LimitsLeft() const;
  std::vector<CostlyPair> CostlyPairsOf(const rigid::RigidGroups& groups) const;

  const Problem& problem_;
  const Constraints& constraints_;
  const rigid::Relation relation_;
  Watch watch_;
  GroupLimits limits_;
  ReuseBound pairs_;  // bounds the cost of pairs of different groups
  uint64_t nodes_ = 0;
  bool is_searched_ = false;
  bool is_proved_ = true;
  bool is_narrowed_ = true;  // the last nogood excludes more than one selection
  std::vector<rigid::PoolItem> items_;
  std::vector<rigid::Nogood> nogoods_;
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Packed> packed_;
  // The results of PackToCompare for each pool and set of records.
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Packed> compared_;
  Best best_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_CONSTRAINED_SEARCH_H_
