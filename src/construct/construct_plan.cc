// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_plan.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/construct_groups.h"
#include "src/construct/construct_pools.h"
#include "src/construct/place_groups.h"
#include "src/construct/place_tightly.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/lower_bound.h"

namespace stowage::rigid {
namespace {

// The maximum number of conflicting pairs of records to list.
constexpr size_t kMaxPairs = size_t{1} << 25;
// The maximum number of units of work. A unit is a comparison of two records or
// a visit to a group. This many units take seconds.
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

bool Fits(const RigidGroups& groups, const optional<Placing>& placing) {
  return placing && placing->top <= groups.capacity().value_or(kNoLevel);
}

// Sets `placing` to a plan that fits the capacity if PlaceTightly finds one.
// Before the call, `placing` is empty or has a plan that does not fit.
void FindTightPlan(const RigidGroups& groups, const Relation& relation,
                   Span<const std::vector<uint32_t>> conflicts,
                   optional<Placing>* placing) {
  auto tight = PlaceTightly(groups, relation, conflicts, LargestFirst(groups));
  if (tight) *placing = std::move(tight);
}

StatusOr<Solution> ConstructInPools(const Problem& problem,
                                    const StopSignal& stop) {
  PoolEffort effort;
  effort.stop = stop;
  effort.selects_quickly = true;
  auto packed =
      ConstructPools(problem, Relation(problem), PoolItemsOf(problem), effort);
  if (!packed.ok()) return packed.status();
  if (!*packed) return Solution();
  Solution solution(std::move((*packed)->plan));
  solution.found_by = std::move((*packed)->found_by);
  return solution;
}

}  // namespace

StatusOr<Solution> ConstructPlan(const Problem& problem,
                                 const StopSignal& stop) {
  if (!problem.constraints()->pools.empty()) {
    return ConstructInPools(problem, stop);
  }
  const auto groups = RigidGroups::Make(problem, AllRecordsOf(problem), 0);
  if (!groups) return LevelsOverflow();
  const Relation relation(problem);
  const GroupEffort effort;
  auto placing =
      ConstructGroups(*groups, relation,
                      static_cast<Level>(LowerBoundOf(problem).bytes), effort);
  if (!Fits(*groups, placing)) {
    WorkLimit work(effort.checks);
    const auto conflicts =
        ListConflicts(*groups, relation, effort.checks, &work);
    if (conflicts) FindTightPlan(*groups, relation, *conflicts, &placing);
  }
  if (!placing) return Solution();
  return SolutionOf(*groups, *placing);
}

StatusOr<Solution> PlaceLargestFirst(const Problem& problem) {
  const auto groups = RigidGroups::Make(problem, AllRecordsOf(problem), 0);
  if (!groups) return LevelsOverflow();
  WorkLimit work(kMaxChecks);
  const Relation relation(problem);
  const auto conflicts = ListConflicts(*groups, relation, kMaxPairs, &work);
  if (!conflicts) {
    return ResourceExhaustedError(
        "constraints: too many pairs of records conflict for placing the "
        "largest first; expected fewer, or strategy 'skyline'");
  }
  auto starts = PlaceGroupsLowest(*groups, *conflicts, LargestFirst(*groups),
                                  kNoLevel, &work);
  optional<Placing> placing;
  if (starts) {
    const Level top = groups->TopOf(*starts);
    placing = Placing{*std::move(starts), top, ""};
  }
  if (!Fits(*groups, placing) && work.left() > 0) {
    FindTightPlan(*groups, relation, *conflicts, &placing);
  }
  if (!placing) return Solution();
  return SolutionOf(*groups, *placing);
}

}  // namespace stowage::rigid
