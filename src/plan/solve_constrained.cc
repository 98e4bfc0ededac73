// SPDX-License-Identifier: Apache-2.0
#include "src/plan/solve_constrained.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/bounds/constrained_bound.h"
#include "src/bounds/contradiction.h"
#include "src/bounds/pool_shortage.h"
#include "src/model/constraint_support.h"
#include "src/plan/group_choice.h"
#include "src/plan/kept_groups.h"
#include "src/plan/order_planner.h"
#include "src/plan/solve_simpler.h"
#include "src/plan/solve_steps.h"
#include "stowage/base/status.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/labels.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"

namespace stowage {
namespace {

// Sets the status, the cost and the reason of a plan under constraints. If
// there is no plan, the status and the reason state whether it is proved that
// none exists.
void SettleConstrained(const Problem& problem, const Strategy& strategy,
                       Solution* solution) {
  const LowerBound& bound = LowerBoundOf(problem);
  if (!solution->has_plan()) {
    const bool is_proved = strategy.info().is_search &&
                           solution->status == SolutionStatus::kInfeasible;
    solution->DropPlan(is_proved ? SolutionStatus::kInfeasible
                                 : SolutionStatus::kTimeLimit);
    solution->reason =
        is_proved ? ReasonOfNoPlan(problem, *solution)
                  : "no plan was found, nor a proof that there is none";
    return;
  }
  solution->cost = CostOfPlan(problem, *solution->offsets());
  if (solution->cost_proofs.empty()) {
    CostBound cost = BoundCost(problem);
    if (cost.cost >= solution->cost_bound) {
      solution->cost_bound = cost.cost;
      solution->cost_proofs = std::move(cost.proofs);
    }
  }
  solution->status = SolutionStatus::kFeasible;
  if (solution->cost > solution->cost_bound) return;
  ClaimOptimum(bound, solution);
  if (solution->bound_proof.kind == BoundProof::Kind::kPoolsOfCost &&
      solution->status == SolutionStatus::kOptimal) {
    solution->reason = "no plan of that cost is smaller";
  }
}

// Returns the groups of a solution. If the solution does not list any groups,
// derives them from its plan. If it has no plan either, no same_or_apart pair
// has been united, so returns the groups of the problem.
std::vector<RecordPlace> PlacesOf(const Problem& problem,
                                  const Solution& solution) {
  const OffsetsAssignment* const plan = solution.offsets();
  const bool has_pairs = problem.constraints() != nullptr &&
                         !problem.constraints()->same_or_apart.empty();
  if (has_pairs && !solution.has_plan() && solution.places.empty() &&
      !problem.groups_are_optional()) {
    return problem.constraints()->places;
  }
  if (!has_pairs || !solution.places.empty() || plan == nullptr ||
      plan->offsets.size() != problem.size() ||
      (!plan->pools.empty() && plan->pools.size() != problem.size())) {
    return solution.places;
  }
  return PlacesOfPlan(problem, *plan);
}

}  // namespace

std::string ReasonOfNoPlan(const Problem& problem, const Solution& solution) {
  std::string reason;
  if (solution.nodes > 0) {
    reason = StrCat("the search for any plan is complete, ", solution.nodes,
                    " nodes: ");
  }
  StrAppend(&reason, "no plan keeps the constraints");
  if (!solution.conflict.empty()) {
    StrAppend(&reason, " of ", NamesOfRecords(problem, solution.conflict));
  }
  std::vector<std::string> capacities;
  const Constraints* const constraints = problem.constraints();
  for (const MemoryPool& pool : constraints == nullptr
                                    ? std::vector<MemoryPool>()
                                    : constraints->pools) {
    if (!pool.capacity) continue;
    capacities.push_back(
        StrCat("pool '", pool.name, "' has ", *pool.capacity, " bytes"));
  }
  if (problem.capacity()) {
    capacities.push_back(
        StrCat("the capacity is ", *problem.capacity(), " bytes"));
  }
  if (!capacities.empty()) {
    StrAppend(&reason, "; ", StrJoin(capacities, ", "));
  }
  return reason;
}

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const Strategy& strategy,
                                    const SolveOptions& options) {
  if (problem.free_order() != nullptr) {
    return SolveFreeOrder(problem, strategy, options);
  }
  if (LeavesChoiceOfGroups(problem)) {
    StatusOr<GroupChoice> choice = ChooseGroups(problem, strategy, options);
    if (!choice.ok()) return choice.status();
    return std::move(choice->solution);
  }
  if (auto infeasible = FindContradiction(problem)) {
    return *std::move(infeasible);
  }
  auto simpler = SolveSimpler(problem, strategy, options);
  if (simpler) return *std::move(simpler);
  return SolveByStrategy(problem, strategy, options, &SettleConstrained);
}

StatusOr<Problem> DecideProblem(const Problem& problem,
                                const Solution& solution) {
  const FreeOrder* const free_order = problem.free_order();
  if (free_order != nullptr) {
    if (auto violation = FindOrderViolation(*free_order, solution.order)) {
      return InvalidArgumentError(Describe(*violation));
    }
    ProblemSpec spec = problem.ToSpec();
    spec.records = RecordsInOrder(spec.records, *free_order, solution.order);
    spec.labels = LabelsInOrder(std::move(spec.labels), solution.order);
    spec.free_order.reset();
    return Problem::Create(std::move(spec));
  }
  StatusOr<ProblemSpec> spec = KeepGroups(problem, PlacesOf(problem, solution));
  if (!spec.ok()) return spec.status();
  return Problem::Create(*std::move(spec));
}

}  // namespace stowage
