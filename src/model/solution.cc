// SPDX-License-Identifier: Apache-2.0
#include "stowage/solution.h"

#include <utility>
#include <variant>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {
string_view SolutionStatusName(SolutionStatus status) {
  switch (status) {
    case SolutionStatus::kOptimal:
      return "optimal";
    case SolutionStatus::kFeasible:
      return "feasible";
    case SolutionStatus::kOverCapacity:
      return "over_capacity";
    case SolutionStatus::kInfeasible:
      return "infeasible";
    case SolutionStatus::kTimeLimit:
      return "time_limit";
  }
  return "unknown";
}

void Solution::DropPlan(SolutionStatus status_of_none) {
  plan_ = std::monostate();
  total_size = 0;
  found_by.clear();
  status = status_of_none;
}

StatusOr<Solution> SolutionOfObjects(const Problem& problem,
                                     ObjectsAssignment<size_t> objects) {
  if (problem.kind() == PlanKind::kObjects) return Solution(std::move(objects));
  StatusOr<OffsetsAssignment> offsets =
      ObjectsToOffsets(objects, problem.alignments());
  if (!offsets.ok()) return offsets.status();
  return Solution(*std::move(offsets));
}

}  // namespace stowage
