// SPDX-License-Identifier: Apache-2.0
#include "src/plan/incumbent.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/bounds/constrained_bound.h"
#include "src/plan/check_plan.h"
#include "src/plan/is_better.h"
#include "stowage/bound_proof.h"
#include "stowage/planner.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

absl::Status IncumbentError(const absl::Status& error) {
  absl::Status named =
      absl::InvalidArgumentError(absl::StrCat("incumbent: ", error.message()));
  const absl::optional<Violation> violation = ViolationOf(error);
  return violation ? WithViolation(std::move(named), *violation) : named;
}

}  // namespace

absl::StatusOr<Solution> CheckedIncumbent(const Problem& problem,
                                          const Solution& given) {
  if (problem.reallocation_graph() != nullptr) {
    return absl::InvalidArgumentError(
        "incumbent: the problem has a reallocation graph, for which plans are "
        "not verified; expected no incumbent");
  }
  const absl::StatusOr<Problem> decided = DecidedProblem(problem, given);
  if (!decided.ok()) return IncumbentError(decided.status());
  if (absl::Status s = CheckPlan(*decided, given); !s.ok()) {
    return IncumbentError(s);
  }
  const absl::StatusOr<size_t> total = TotalOf(given);
  if (!total.ok()) return IncumbentError(total.status());
  Solution incumbent;
  if (problem.capacity() && *total > *problem.capacity()) return incumbent;
  if (given.offsets() != nullptr) {
    incumbent.SetPlan(*given.offsets());
    if (decided->constraints() != nullptr) {
      incumbent.cost = CostOfPlan(*decided, *given.offsets());
    }
  } else {
    incumbent.SetPlan(*given.objects());
  }
  incumbent.total_size = *total;
  if (problem.free_order() != nullptr) incumbent.order = given.order;
  if (problem.groups_are_optional()) incumbent.places = given.places;
  return incumbent;
}

Solution BetterOf(Solution incumbent, Solution found) {
  if (!incumbent.has_plan() || IsBetter(found, incumbent)) return found;
  const bool is_as_good = found.has_plan() && !IsBetter(incumbent, found);
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
  // If the search has reported a conflict or a reason, these do not apply to
  // records that have a plan.
  found.conflict.clear();
  found.conflict_is_irreducible = false;
  found.conflict_witnesses.clear();
  found.status = SolutionStatus::kFeasible;
  found.reason.clear();
  if (found.total_size == found.lower_bound && found.cost <= found.cost_bound) {
    found.status = SolutionStatus::kOptimal;
    found.reason =
        absl::StrCat("the total equals ", Describe(found.bound_proof));
  }
  return found;
}

}  // namespace stowage
