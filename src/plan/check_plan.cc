// SPDX-License-Identifier: Apache-2.0
#include "src/plan/check_plan.h"

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage {

Status UnsafeError(const optional<Violation>& violation) {
  if (!violation) return OkStatus();
  return WithViolation(FailedPreconditionError(Describe(*violation)),
                       *violation);
}

Status CheckPlan(const Problem& problem, const Solution& solution) {
  const bool is_of_offsets = problem.kind() == PlanKind::kOffsets;
  if (is_of_offsets && solution.offsets() != nullptr) {
    return UnsafeError(FindViolation(problem, *solution.offsets()));
  }
  if (!is_of_offsets && solution.objects() != nullptr) {
    return UnsafeError(FindViolation(problem.records(), *solution.objects()));
  }
  Violation violation;
  violation.kind = Violation::Kind::kCountMismatch;
  violation.expected = problem.size();
  return WithViolation(
      FailedPreconditionError(
          "there is no plan; expected one of the problem's kind"),
      violation);
}

StatusOr<size_t> TotalOf(const Solution& solution) {
  if (solution.offsets() != nullptr) return solution.offsets()->total_size;
  return TotalSize(*solution.objects());
}

}  // namespace stowage
