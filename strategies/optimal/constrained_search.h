// SPDX-License-Identifier: Apache-2.0
// Searches for the best plan under constraints: the least cost, then the
// smallest total. Without constraints use OffsetsSearch (offsets_search.h).
//
// One pool is one question to FindBestPlan. Of several pools, SelectPools
// chooses at the least cost by what is live together, and each pool is packed;
// a set that cannot be packed becomes a nogood, and the choice is made again.
// So the first selection that can be packed has the least cost, and of all of
// that cost the one with the smallest total is kept.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_SEARCH_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_SEARCH_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/body_optimum.h"
#include "src/bodies/conflicts.h"
#include "src/bodies/construct_pools.h"
#include "src/bodies/pool_selection.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class ConstrainedSearch {
 public:
  // Both must outlive the object. The problem has constraints.
  ConstrainedSearch(const Problem& problem, const SolveOptions& options);

  Solution Run();

 private:
  // What is known of some records in one pool.
  struct Packed {
    BodyAnswer answer;
    std::vector<size_t> offsets;  // by record; of a plan
    bool is_made = false;         // or levels would overflow
  };
  struct Best {
    std::vector<uint32_t> pools;  // by record; empty without pools
    std::vector<size_t> offsets;
    uint64_t total = 0;
    uint64_t cost = 0;  // of pairs that share
    std::string found_by;
    bool is_set = false;
  };

  Solution SolveOnePool();
  Solution SolvePools();
  Packed Pack(absl::Span<const uint32_t> records, uint32_t pool);
  const Packed& PackOnce(std::vector<uint32_t> records, uint32_t pool);
  // The best of some selections; nogoods where none can be packed.
  void TrySelections(const bodies::PoolSelections& selected);
  void TrySelection(const std::vector<uint32_t>& pools);
  Best ConstructTwice() const;
  // Of construction, for when the search finds nothing.
  static Best BestOf(
      absl::StatusOr<absl::optional<bodies::PackedPools>> packed);
  // Whether it costs less, or as much and is smaller.
  bool IsBetter(const Best& best, const Best& other) const;
  std::vector<std::vector<uint32_t>> RecordsByPool(
      const std::vector<uint32_t>& pools) const;
  void AddNogood(const std::vector<uint32_t>& pools, uint32_t pool);
  // If there is a plan, its offsets by record.
  bool IsInfeasible(absl::Span<const uint32_t> records, uint32_t pool,
                    std::vector<size_t>* offsets = nullptr);
  std::vector<uint32_t> ShrinkConflict(std::vector<uint32_t> records,
                                       uint32_t pool);
  Solution Infeasible() const;
  void SetConflict(absl::Span<const uint32_t> conflict,
                   Solution* solution) const;
  Solution SolutionOfBest(uint64_t bound, uint64_t cost_bound);
  BodyLimits LimitsLeft() const;
  std::vector<CostlyPair> CostlyPairsOf(const bodies::Bodies& bodies) const;

  const Problem& problem_;
  const Constraints& constraints_;
  const bodies::Relation relation_;
  BodyLimits limits_;
  uint64_t nodes_ = 0;
  bool is_searched_ = false;
  bool is_proved_ = true;
  bool is_narrowed_ = true;  // by the last nogood, by more than one selection
  // Of a conflict: whether it is proved that each record is needed, and then
  // the offsets, by record, of the others without the first, the second, ...
  bool is_sure_ = true;
  std::vector<std::vector<size_t>> offsets_without_;
  std::vector<bodies::PoolItem> items_;
  std::vector<bodies::Nogood> nogoods_;
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, Packed> packed_;
  Best best_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_SEARCH_H_
