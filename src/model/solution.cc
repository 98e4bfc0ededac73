// SPDX-License-Identifier: Apache-2.0
#include "stowage/solution.h"

#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

absl::Status NoPlan() {
  return absl::FailedPreconditionError(
      "solution: it has no such assignment; expected a status of optimal or "
      "feasible, and the kind of the problem");
}

}  // namespace

absl::string_view SolutionStatusName(SolutionStatus status) {
  switch (status) {
    case SolutionStatus::kOptimal:
      return "optimal";
    case SolutionStatus::kFeasible:
      return "feasible";
    case SolutionStatus::kInfeasible:
      return "infeasible";
    case SolutionStatus::kTimeLimit:
      return "time_limit";
  }
  return "unknown";
}

Solution::Solution()
    : plans_(NoPlan(), NoPlan(), NoPlan(), NoPlan(), NoPlan()) {}

Solution::Solution(OffsetsAssignment plan) : Solution() {
  std::get<absl::StatusOr<OffsetsAssignment>>(plans_) = std::move(plan);
  has_plan_ = true;
  status = SolutionStatus::kFeasible;
}

void Solution::DropPlan(SolutionStatus status_of_none) {
  std::apply([](auto&... plan) { ((plan = NoPlan()), ...); }, plans_);
  has_plan_ = false;
  total_size = 0;
  found_by.clear();
  status = status_of_none;
}

absl::StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                           ObjectsAssignment<size_t> objects) {
  if (problem.kind() == PlanKind::kObjects) return Solution(std::move(objects));
  absl::StatusOr<OffsetsAssignment> offsets =
      ObjectsToOffsets(objects, problem.alignments());
  if (!offsets.ok()) return offsets.status();
  return Solution(*std::move(offsets));
}

}  // namespace stowage
