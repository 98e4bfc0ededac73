// SPDX-License-Identifier: Apache-2.0
#include "src/bodies/construct_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/bodies/bodies.h"
#include "src/bodies/cliques.h"
#include "src/bodies/conflicts.h"
#include "src/bodies/construct_bodies.h"
#include "src/bodies/place_bodies.h"
#include "src/bodies/pool_selection.h"

namespace stowage::bodies {
namespace {

// Selections of pools that are tried before it is given up.
constexpr size_t kMostSelections = 64;
// Pairs of records in conflict that are listed.
constexpr size_t kMostPairs = size_t{1} << 25;
// Looks at pairs and bodies: seconds.
constexpr uint64_t kMostLooks = uint64_t{1} << 29;

absl::Status TooLarge() {
  return absl::ResourceExhaustedError(
      "constraints: sizes and places sum to more than 2^60 bytes; expected "
      "less");
}

bool FitsCapacity(const Bodies& bodies,
                  const absl::optional<Placing>& placing) {
  return placing && placing->top <= bodies.capacity().value_or(kNoLevel);
}

Solution SolutionOf(const Bodies& bodies, const Placing& placing) {
  OffsetsAssignment plan;
  plan.offsets.resize(bodies.problem().size());
  plan.total_size =
      static_cast<size_t>(bodies.WriteOffsets(placing.starts, &plan.offsets));
  Solution solution(std::move(plan));
  solution.found_by = placing.found_by;
  return solution;
}

// Packs what each pool was given; the pool that cannot be packed, or none.
absl::StatusOr<absl::optional<Nogood>> PackSelection(
    const Problem& problem, const Relation& relation,
    const std::vector<PoolItem>& items, const std::vector<uint32_t>& pools,
    OffsetsAssignment* plan, std::string* found_by) {
  plan->total_size = 0;
  std::vector<std::vector<uint32_t>> chosen =
      ItemsByPool(pools, problem.constraints()->pools.size());
  for (uint32_t pool = 0; pool < chosen.size(); ++pool) {
    const std::vector<uint32_t> records = RecordsOf(items, chosen[pool]);
    const auto bodies = Bodies::Make(problem, records, pool);
    if (!bodies) return TooLarge();
    const Level bound = FindBodyBound(*bodies, relation).bytes;
    const auto placing = ConstructBodies(*bodies, relation, bound, {});
    if (!FitsCapacity(*bodies, placing)) {
      return Nogood{pool, std::move(chosen[pool])};
    }
    plan->total_size += static_cast<size_t>(
        bodies->WriteOffsets(placing->starts, &plan->offsets));
    for (const uint32_t i : records) plan->pools[i] = pool;
    *found_by = placing->found_by;
  }
  return absl::optional<Nogood>();
}

absl::StatusOr<Solution> ConstructInPools(const Problem& problem) {
  const Relation relation(problem);
  const std::vector<PoolItem> items = PoolItemsOf(problem);
  std::vector<Nogood> nogoods;
  PoolLimits limits;
  limits.states = 2048;
  limits.selections = 1;
  OffsetsAssignment plan;
  plan.offsets.resize(problem.size());
  plan.pools.resize(problem.size());
  std::string found_by;
  for (size_t k = 0; k < kMostSelections; ++k) {
    const PoolSelections selected =
        SelectPools(items, problem.constraints()->pools, nogoods, limits);
    if (selected.selections.empty()) break;
    auto nogood = PackSelection(problem, relation, items,
                                selected.selections.front(), &plan, &found_by);
    if (!nogood.ok()) return nogood.status();
    if (*nogood) {
      nogoods.push_back(**std::move(nogood));
      continue;
    }
    Solution solution(std::move(plan));
    solution.found_by = found_by;
    return solution;
  }
  return Solution();
}

}  // namespace

absl::StatusOr<Solution> ConstructPlan(const Problem& problem) {
  if (!problem.constraints()->pools.empty()) return ConstructInPools(problem);
  const auto bodies = Bodies::Make(problem, AllRecordsOf(problem), 0);
  if (!bodies) return TooLarge();
  const auto placing =
      ConstructBodies(*bodies, Relation(problem),
                      static_cast<Level>(problem.lower_bound().bytes), {});
  if (!placing) return Solution();
  return SolutionOf(*bodies, *placing);
}

absl::StatusOr<Solution> PlaceLargestFirst(const Problem& problem) {
  const auto bodies = Bodies::Make(problem, AllRecordsOf(problem), 0);
  if (!bodies) return TooLarge();
  WorkLimit work(kMostLooks);
  const auto conflicts =
      ListConflicts(*bodies, Relation(problem), kMostPairs, &work);
  if (!conflicts) {
    return absl::ResourceExhaustedError(
        "constraints: too many pairs of records conflict for placing the "
        "largest first; expected fewer, or strategy 'skyline'");
  }
  const auto starts = PlaceBodiesLowest(*bodies, *conflicts,
                                        LargestFirst(*bodies), kNoLevel, &work);
  if (!starts) return Solution();
  return SolutionOf(*bodies, {*starts, bodies->TopOf(*starts), ""});
}

}  // namespace stowage::bodies
