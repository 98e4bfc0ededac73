// SPDX-License-Identifier: Apache-2.0
#include "src/construct/construct_plan.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/bounds/bodies.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_selection.h"
#include "src/construct/construct_bodies.h"
#include "src/construct/construct_pools.h"
#include "src/construct/place_bodies.h"
#include "stowage/lower_bound.h"

namespace stowage::bodies {
namespace {

// The maximum number of conflicting pairs of records that are listed.
constexpr size_t kMostPairs = size_t{1} << 25;
// The maximum number of pairs of records that are compared and of groups that
// are visited. These take seconds.
constexpr uint64_t kMostLooks = uint64_t{1} << 29;

Solution SolutionOf(const Bodies& bodies, const Placing& placing) {
  OffsetsAssignment plan;
  plan.offsets.resize(bodies.problem().size());
  plan.total_size =
      static_cast<size_t>(bodies.WriteOffsets(placing.starts, &plan.offsets));
  Solution solution(std::move(plan));
  solution.found_by = placing.found_by;
  return solution;
}

absl::StatusOr<Solution> ConstructInPools(const Problem& problem) {
  auto packed = ConstructPools(problem, Relation(problem), PoolItemsOf(problem),
                               PoolEffort());
  if (!packed.ok()) return packed.status();
  if (!*packed) return Solution();
  Solution solution(std::move((*packed)->plan));
  solution.found_by = std::move((*packed)->found_by);
  return solution;
}

}  // namespace

absl::StatusOr<Solution> ConstructPlan(const Problem& problem) {
  if (!problem.constraints()->pools.empty()) return ConstructInPools(problem);
  const auto bodies = Bodies::Make(problem, AllRecordsOf(problem), 0);
  if (!bodies) return LevelsOverflow();
  const auto placing =
      ConstructBodies(*bodies, Relation(problem),
                      static_cast<Level>(LowerBoundOf(problem).bytes), {});
  if (!placing) return Solution();
  return SolutionOf(*bodies, *placing);
}

absl::StatusOr<Solution> PlaceLargestFirst(const Problem& problem) {
  const auto bodies = Bodies::Make(problem, AllRecordsOf(problem), 0);
  if (!bodies) return LevelsOverflow();
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
