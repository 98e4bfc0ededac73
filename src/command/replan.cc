// SPDX-License-Identifier: Apache-2.0
#include "src/command/replan.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/trace.h"
#include "stowage/trace_problem.h"

namespace stowage::cli {

absl::StatusOr<Solution> Replanner::Plan(const Trace& trace) const {
  ProblemSpec spec = ProblemSpecOf(trace, kind);
  absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Solution> solution = Solve(*problem, strategy, options);
  // A plan that exceeds the capacity is made again without the capacity, since
  // the report has to explain just such a plan.
  if (solution.ok() && solution->status == SolutionStatus::kOverCapacity &&
      spec.capacity) {
    spec.capacity.reset();
    problem = Problem::Create(std::move(spec));
    if (!problem.ok()) return problem.status();
    solution = Solve(*problem, strategy, options);
  }
  if (!solution.ok() || solution->has_plan()) return solution;
  if (solution->status == SolutionStatus::kInfeasible) {
    return absl::FailedPreconditionError(
        absl::StrCat("infeasible: ", solution->reason));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("no plan: ", solution->reason));
}

absl::StatusOr<size_t> Replanner::Total(const Trace& trace) const {
  const absl::StatusOr<Solution> solution = Plan(trace);
  if (!solution.ok()) return solution.status();
  return solution->total_size;
}

Trace WithPlan(Trace trace, PlanKind kind, const Solution& solution) {
  trace.offsets.clear();
  trace.objects.clear();
  trace.chosen_pools.clear();
  if (kind == PlanKind::kOffsets) {
    trace.offsets = solution.offsets()->offsets;
    trace.chosen_pools = solution.offsets()->pools;
  } else {
    trace.objects = solution.objects()->object_ids;
  }
  return trace;
}

}  // namespace stowage::cli
