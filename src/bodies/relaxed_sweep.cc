// SPDX-License-Identifier: Apache-2.0
#include "src/bodies/relaxed_sweep.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/core/construct.h"
#include "src/core/lower_problem.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/solution.h"

namespace stowage::bodies {
namespace {

// Whether intervals and extents say all that a plan must honour.
bool IsOfHulls(const Bodies& bodies) {
  const Constraints& constraints = *bodies.problem().constraints();
  const auto is_anywhere = [](const RecordPlace& place) {
    return place.min == 0 && !place.max;
  };
  return !bodies.problem().has_fixed_offsets() && constraints.holes.empty() &&
         constraints.apart.empty() && constraints.pools.empty() &&
         std::all_of(constraints.places.begin(), constraints.places.end(),
                     is_anywhere);
}

}  // namespace

absl::optional<std::vector<Level>> SweepRelaxed(const Bodies& bodies,
                                                const StopSignal& stop) {
  if (!IsOfHulls(bodies) || stop.IsSet()) return absl::nullopt;
  const absl::StatusOr<LoweredProblem> relaxed = RelaxToHulls(bodies.problem());
  if (!relaxed.ok() || stop.IsSet()) return absl::nullopt;
  OffsetsAssignment plan = StackAll(relaxed->problem);
  const size_t stacked = plan.total_size;
  ConstructEffort effort;  // sweeps alone
  effort.stop = &stop;
  Construct(relaxed->problem, relaxed->problem.lower_bound().bytes, effort,
            &plan);
  if (plan.total_size == stacked) return absl::nullopt;
  const Solution solution = RaiseSolution(*relaxed, Solution(std::move(plan)));
  std::vector<Level> starts(bodies.size());
  for (const Piece& piece : bodies.pieces()) {
    starts[piece.body] =
        static_cast<Level>(solution.offsets()->offsets[piece.record]) -
        piece.at;
  }
  return starts;
}

}  // namespace stowage::bodies
