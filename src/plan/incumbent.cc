// SPDX-License-Identifier: Apache-2.0
#include "src/plan/incumbent.h"

#include <cstddef>
#include <utility>

#include "src/base/str_cat.h"
#include "src/model/constraint_support.h"
#include "src/plan/check_plan.h"
#include "src/plan/is_better.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/bound_proof.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

Status IncumbentError(const Status& error) {
  Status named = InvalidArgumentError(StrCat("incumbent: ", error.message()));
  const optional<Violation> violation = ViolationOf(error);
  return violation ? WithViolation(std::move(named), *violation) : named;
}

}  // namespace

StatusOr<Solution> CheckedIncumbent(const Problem& problem,
                                    const Solution& given) {
  if (problem.reallocation_graph() != nullptr) {
    return InvalidArgumentError(
        "incumbent: the problem has a reallocation graph, for which plans "
        "cannot be verified; expected no incumbent");
  }
  // Violations of a problem that leaves only pairs open are found in the
  // problem itself: the decided problem has other groups, which follow from the
  // plan.
  if (LeavesChoiceOfGroups(problem) && !problem.groups_are_optional()) {
    if (Status s = CheckPlan(problem, given); !s.ok()) return IncumbentError(s);
  }
  const StatusOr<Problem> decided = DecidedProblem(problem, given);
  if (!decided.ok()) return IncumbentError(decided.status());
  if (Status s = CheckPlan(*decided, given); !s.ok()) {
    return IncumbentError(s);
  }
  const StatusOr<size_t> total = TotalOf(given);
  if (!total.ok()) return IncumbentError(total.status());
  Solution incumbent;
  if (problem.capacity() && *total > *problem.capacity()) return incumbent;
  if (given.offsets() != nullptr) {
    incumbent.SetPlan(*given.offsets());
    if (decided->constraints() != nullptr) {
      incumbent.cost =
          LinkedConstraints()->cost_of_plan(*decided, *given.offsets());
    }
  } else {
    incumbent.SetPlan(*given.objects());
  }
  incumbent.total_size = *total;
  if (problem.free_order() != nullptr) incumbent.order = given.order;
  if (problem.groups_are_optional()) {
    incumbent.places = given.places;
  } else if (LeavesChoiceOfGroups(problem) &&
             decided->constraints() != nullptr) {
    incumbent.places = decided->constraints()->places;
  }
  return incumbent;
}

Solution BetterOf(Solution incumbent, Solution found) {
  if (!incumbent.has_plan() || IsBetter(found, incumbent)) return found;
  return WithPlanOf(std::move(incumbent), std::move(found));
}

Solution WithPlanOf(Solution incumbent, Solution found) {
  const bool is_as_good = found.has_plan() && !IsBetter(incumbent, found) &&
                          !IsBetter(found, incumbent);
  if (incumbent.offsets() != nullptr) {
    found.SetPlan(*incumbent.offsets());
  } else {
    found.SetPlan(*incumbent.objects());
  }
  found.total_size = incumbent.total_size;
  found.cost = incumbent.cost;
  found.order = std::move(incumbent.order);
  found.places = std::move(incumbent.places);
  found.found_by = "incumbent";
  if (is_as_good) return found;
  // The search may have reported a conflict or a reason. Neither applies to the
  // plan of the incumbent, so both are dropped.
  found.conflict.clear();
  found.conflict_is_irreducible = false;
  found.conflict_witnesses.clear();
  found.status = SolutionStatus::kFeasible;
  found.reason.clear();
  if (found.total_size == found.lower_bound && found.cost <= found.cost_bound) {
    found.status = SolutionStatus::kOptimal;
    found.reason = ReasonOfOptimum(found.bound_proof);
  }
  return found;
}

Solution NothingFound(const Problem& problem) {
  Solution solution;
  const LowerBound& bound = LowerBoundOf(problem);
  solution.lower_bound = bound.bytes;
  solution.bound_proof = bound.proof;
  return solution;
}

}  // namespace stowage
