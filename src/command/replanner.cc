// SPDX-License-Identifier: Apache-2.0
#include "src/command/replanner.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/inputs.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {

absl::StatusOr<Solution> Replanner::Plan(const ProblemSpec& problem) const {
  ProblemSpec spec = SpecFor(problem, kind);
  absl::StatusOr<Problem> checked = Problem::Create(spec);
  if (!checked.ok()) return checked.status();
  absl::StatusOr<Solution> solution = Solve(*checked, strategy, options);
  // If the plan exceeds the capacity, plans again without the capacity, since
  // such plans are those that users mainly ask about.
  if (solution.ok() && solution->status == SolutionStatus::kOverCapacity &&
      spec.capacity) {
    spec.capacity.reset();
    checked = Problem::Create(std::move(spec));
    if (!checked.ok()) return checked.status();
    solution = Solve(*checked, strategy, options);
  }
  if (!solution.ok() || solution->has_plan()) return solution;
  if (solution->status == SolutionStatus::kInfeasible) {
    return absl::FailedPreconditionError(
        absl::StrCat("infeasible: ", solution->reason));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("no plan: ", solution->reason));
}

absl::StatusOr<size_t> Replanner::Total(const ProblemSpec& problem) const {
  const absl::StatusOr<Solution> solution = Plan(problem);
  if (!solution.ok()) return solution.status();
  return solution->total_size;
}

}  // namespace stowage::cli
