// SPDX-License-Identifier: Apache-2.0
#include "src/plan/solve_simpler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/bounds/constrained_bound.h"
#include "src/construct/lower_problem.h"
#include "src/model/watch.h"
#include "src/plan/shared_limits.h"
#include "src/plan/solve_steps.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

size_t PreferencesOf(const LoweredProblem& part) {
  const Constraints* const constraints = part.problem.constraints();
  return constraints == nullptr ? 0 : constraints->prefer_apart.size();
}

// Returns the parts in the order in which they are solved. Parts with fewer
// preferences come first, because they leave more of their share of the limits
// to later parts.
std::vector<uint32_t> OrderOfParts(const std::vector<LoweredProblem>& parts) {
  std::vector<uint32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return PreferencesOf(parts[a]) < PreferencesOf(parts[b]);
  });
  return order;
}

// Returns whether the original problem has costs that the simpler problem
// lacks: costs of pools, or costs within groups. If it does, plans cost less in
// the simpler problem, so the progress reported by a search of the simpler
// problem does not apply to the original problem.
bool HasOtherCosts(const Problem& problem, const Problem& simpler) {
  const Constraints* const constraints = problem.constraints();
  if (constraints == nullptr || constraints->prefer_apart.empty()) {
    return false;
  }
  const uint64_t within =
      simpler.constraints() == nullptr ? 0 : CostWithinGroups(simpler);
  return !constraints->choices.empty() || CostWithinGroups(problem) != within;
}

// Returns the solution of one pool, with its records renumbered as in the whole
// problem.
StatusOr<Solution> SolvePart(const LoweredProblem& part,
                             const MemoryPool& memory, const Strategy& strategy,
                             const SolveOptions& options) {
  StatusOr<Solution> solution = SolveUnsettled(part.problem, strategy, options);
  if (!solution.ok()) return solution;
  if (!solution->has_plan()) {
    solution->reason = StrCat("pool '", memory.name, "': ", solution->reason);
  }
  return Renumbered(*std::move(solution), part.map);
}

// Sets the fields of `sum` that are sums over the solutions of all pools.
void SumUp(const std::vector<Solution>& solutions, Solution* sum) {
  sum->total_size = 0;
  sum->lower_bound = 0;
  sum->nodes = 0;
  sum->time_ns = 0;
  for (const Solution& solution : solutions) {
    sum->total_size += solution.total_size;
    sum->lower_bound += solution.lower_bound;
    sum->nodes += solution.nodes;
    sum->time_ns += solution.time_ns;
  }
  sum->bound_proof = {BoundProof::Kind::kPools};
}

// Joins the solutions of all pools. Requires that each solution has a plan.
Solution Joined(const Problem& problem,
                const std::vector<LoweredProblem>& parts,
                const std::vector<Solution>& solutions) {
  OffsetsAssignment plan;
  plan.offsets.resize(problem.size());
  plan.pools.resize(problem.size());
  Solution sum;
  SumUp(solutions, &sum);
  // The cost bounds of the parts, which cover all other costs, are added below.
  sum.cost_bound = BoundCostOfPools(problem);
  sum.strategy = solutions.back().strategy;
  sum.seed = solutions.back().seed;
  sum.found_by = solutions.back().found_by;
  bool is_optimal = true;
  for (uint32_t pool = 0; pool < parts.size(); ++pool) {
    const Solution& solution = solutions[pool];
    for (size_t i = 0; i < problem.size(); ++i) {
      if (parts[pool].map.record_of[i] == RecordMap::kNone) continue;
      plan.offsets[i] = solution.offsets()->offsets[i];
      plan.pools[i] = pool;
    }
    sum.cost_bound += solution.cost_bound;
    sum.cost_proofs.insert(sum.cost_proofs.end(), solution.cost_proofs.begin(),
                           solution.cost_proofs.end());
    is_optimal = is_optimal && solution.status == SolutionStatus::kOptimal;
  }
  plan.total_size = sum.total_size;
  sum.SetPlan(std::move(plan));
  sum.status =
      is_optimal ? SolutionStatus::kOptimal : SolutionStatus::kFeasible;
  if (is_optimal) sum.reason = "the plan of each pool is optimal";
  return sum;
}

// Returns the solution of the first pool that has a plan above its capacity,
// but with the sums over all pools. Requires that there is such a pool.
Solution OverCapacity(const std::vector<Solution>& solutions) {
  Solution over = *std::find_if(
      solutions.begin(), solutions.end(),
      [](const Solution& solution) { return !solution.has_plan(); });
  SumUp(solutions, &over);
  return over;
}

// Solves all pools and joins the solutions. If some pool has no plan for a
// reason other than kOverCapacity, returns the solution of that pool without
// solving the remaining pools. Otherwise, if the plan of some pool exceeds the
// capacity of the pool, returns the result of OverCapacity.
StatusOr<Solution> SolveParts(const Problem& problem,
                              const std::vector<LoweredProblem>& parts,
                              const Strategy& strategy,
                              const SolveOptions& options) {
  std::vector<Solution> solutions(parts.size());
  bool are_all_within = true;
  const std::vector<uint32_t> order = OrderOfParts(parts);
  const bool has_costs = PreferencesOf(parts[order.back()]) > 0;
  const bool is_whole =
      parts.size() == 1 && !HasOtherCosts(problem, parts[0].problem);
  WithoutProgress without_progress(options.observer);
  SolveOptions of_parts = options;
  if (has_costs && !is_whole) of_parts.observer = &without_progress;
  // If there are costs, the node budget is divided as well, because a search
  // for the least cost rarely completes before it has used all nodes.
  SharedLimits limits(of_parts, has_costs);
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t pool = order[k];
    StatusOr<Solution> solution =
        SolvePart(parts[pool], problem.constraints()->pools[pool], strategy,
                  limits.LimitsOfNext(order.size() - k));
    if (!solution.ok()) return solution;
    const bool is_over = solution->status == SolutionStatus::kOverCapacity;
    if (!solution->has_plan() && !is_over) return solution;
    are_all_within = are_all_within && !is_over;
    limits.SpendNodes(solution->nodes);
    solutions[pool] = *std::move(solution);
  }
  if (!are_all_within) return OverCapacity(solutions);
  return Joined(problem, parts, solutions);
}

// If there is a lowered problem, solves it and returns the corresponding
// solution of the original problem. Otherwise returns nothing.
optional<StatusOr<Solution>> SolveIfLowered(
    const Problem& problem, const StatusOr<optional<LoweredProblem>>& lowered,
    const Strategy& strategy, const SolveOptions& options) {
  if (!lowered.ok()) return StatusOr<Solution>(lowered.status());
  if (!*lowered) return nullopt;
  WithoutProgress without_progress(options.observer);
  SolveOptions of_lowered = options;
  if (HasOtherCosts(problem, (*lowered)->problem)) {
    of_lowered.observer = &without_progress;
  }
  StatusOr<Solution> solution =
      SolveUnsettled((*lowered)->problem, strategy, of_lowered);
  if (!solution.ok()) return solution;
  return StatusOr<Solution>(Renumbered(*std::move(solution), (*lowered)->map));
}

// Solves simpler problems in place of `problem`: one problem for each pool, or
// the lowered problem. The simpler problems exclude no plan of `problem`.
// Returns nothing if there are no simpler problems.
optional<StatusOr<Solution>> SolveLowered(const Problem& problem,
                                          const Strategy& strategy,
                                          const SolveOptions& options) {
  auto parts = SplitByPool(problem);
  if (!parts.ok()) return StatusOr<Solution>(parts.status());
  if (!parts->empty()) return SolveParts(problem, *parts, strategy, options);
  return SolveIfLowered(problem, LowerProblem(problem), strategy, options);
}

// Verifies a plan from a simpler problem again, and then sets its cost.
StatusOr<Solution> FinishLowered(const Problem& problem,
                                 StatusOr<Solution> solution) {
  if (!solution.ok() || !solution->has_plan()) return solution;
  if (auto violation = FindViolation(problem, *solution->offsets())) {
    return InternalError(
        StrCat("a simpler problem has an unsafe plan: ", Describe(*violation)));
  }
  solution->cost = CostOfPlan(problem, *solution->offsets());
  return solution;
}

bool NeedsRelaxation(const Strategy& strategy, const Problem& problem) {
  const FeatureSet missing =
      problem.Requires().Without(strategy.info().features);
  return missing.Has(Feature::kGroups) || missing.Has(Feature::kPartialOrder);
}

// If the strategy does not support groups, but the places of all groups are
// given, solves a problem in which records at fixed offsets replace the groups.
// Otherwise returns nothing.
optional<StatusOr<Solution>> SolveAroundGroups(const Problem& problem,
                                               const Strategy& strategy,
                                               const SolveOptions& options) {
  const FeatureSet features = strategy.info().features;
  if (!problem.Requires().Without(features).Has(Feature::kGroups) ||
      !features.Has(Feature::kFixedOffsets)) {
    return nullopt;
  }
  return SolveIfLowered(problem, LowerFixedGroups(problem), strategy, options);
}

// Solves the relaxation to bounding intervals. A proof about the relaxation
// proves nothing about the problem itself, so all claims that depend on such
// proofs are dropped.
StatusOr<Solution> SolveRelaxed(const Problem& problem,
                                const Strategy& strategy,
                                const SolveOptions& options) {
  const StatusOr<LoweredProblem> relaxed = RelaxToBoxes(problem);
  if (!relaxed.ok()) return relaxed.status();
  StatusOr<Solution> solution =
      SolveUnsettled(relaxed->problem, strategy, options);
  if (!solution.ok()) return solution;
  const bool has_plan = solution->has_plan();
  Solution raised = Renumbered(*std::move(solution), relaxed->map);
  if (has_plan) {
    raised.status = SolutionStatus::kFeasible;
    raised.reason.clear();
  } else if (raised.status != SolutionStatus::kOverCapacity) {
    raised.DropPlan(SolutionStatus::kTimeLimit);
    raised.reason = "no plan was found for the bounding boxes";
  }
  raised.conflict.clear();
  raised.conflict_is_irreducible = false;
  raised.conflict_witnesses.clear();
  const LowerBound& bound = LowerBoundOf(problem);
  raised.lower_bound = bound.bytes;
  raised.bound_proof = bound.proof;
  CostBound cost = BoundCost(problem);
  raised.cost_bound = cost.cost;
  raised.cost_proofs = std::move(cost.proofs);
  return FinishLowered(problem, std::move(raised));
}

}  // namespace

optional<StatusOr<Solution>> SolveSimpler(const Problem& problem,
                                          const Strategy& strategy,
                                          const SolveOptions& options) {
  auto solution = SolveLowered(problem, strategy, options);
  if (solution) return FinishLowered(problem, *std::move(solution));
  solution = SolveAroundGroups(problem, strategy, options);
  if (solution) return FinishLowered(problem, *std::move(solution));
  if (!options.relax_to_boxes || !NeedsRelaxation(strategy, problem)) {
    return nullopt;
  }
  return SolveRelaxed(problem, strategy, options);
}

}  // namespace stowage
