// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_plan.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/construct_groups.h"
#include "src/construct/construct_pools.h"
#include "src/construct/place_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/lower_bound.h"

namespace stowage::rigid {
namespace {

// The maximum number of conflicting pairs of records that are listed.
constexpr size_t kMaxPairs = size_t{1} << 25;
// The maximum number of pairs of records that are compared, and also of groups
// that are visited. That many checks take seconds.
constexpr uint64_t kMaxChecks = uint64_t{1} << 29;

Solution SolutionOf(const RigidGroups& groups, const Placing& placing) {
  OffsetsAssignment plan;
  plan.offsets.resize(groups.problem().size());
  plan.total_size =
      static_cast<size_t>(groups.WriteOffsets(placing.starts, &plan.offsets));
  Solution solution(std::move(plan));
  solution.found_by = placing.found_by;
  return solution;
}

StatusOr<Solution> ConstructInPools(const Problem& problem) {
  auto packed = ConstructPools(problem, Relation(problem), PoolItemsOf(problem),
                               PoolEffort());
  if (!packed.ok()) return packed.status();
  if (!*packed) return Solution();
  Solution solution(std::move((*packed)->plan));
  solution.found_by = std::move((*packed)->found_by);
  return solution;
}

}  // namespace

StatusOr<Solution> ConstructPlan(const Problem& problem) {
  if (!problem.constraints()->pools.empty()) return ConstructInPools(problem);
  const auto groups = RigidGroups::Make(problem, AllRecordsOf(problem), 0);
  if (!groups) return LevelsOverflow();
  const auto placing =
      ConstructGroups(*groups, Relation(problem),
                      static_cast<Level>(LowerBoundOf(problem).bytes), {});
  if (!placing) return Solution();
  return SolutionOf(*groups, *placing);
}

StatusOr<Solution> PlaceLargestFirst(const Problem& problem) {
  const auto groups = RigidGroups::Make(problem, AllRecordsOf(problem), 0);
  if (!groups) return LevelsOverflow();
  WorkLimit work(kMaxChecks);
  const auto conflicts =
      ListConflicts(*groups, Relation(problem), kMaxPairs, &work);
  if (!conflicts) {
    return ResourceExhaustedError(
        "constraints: too many pairs of records conflict for placing the "
        "largest first; expected fewer, or strategy 'skyline'");
  }
  const auto starts = PlaceGroupsLowest(*groups, *conflicts,
                                        LargestFirst(*groups), kNoLevel, &work);
  if (!starts) return Solution();
  return SolutionOf(*groups, {*starts, groups->TopOf(*starts), ""});
}

}  // namespace stowage::rigid
