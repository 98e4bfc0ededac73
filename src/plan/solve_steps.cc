// SPDX-License-Identifier: Apache-2.0
#include "src/plan/solve_steps.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/watch.h"
#include "src/plan/check_plan.h"
#include "src/plan/infeasible_by_bound.h"
#include "stowage/base/optional.h"
#include "stowage/error_payload.h"
#include "stowage/registry.h"

namespace stowage {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the names of the strategies that support all of `required`, for
// example "naive, equality". Returns an empty string if there are none.
std::string SupportersOf(FeatureSet required) {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (required.Without(info.features).empty()) names.push_back(info.name);
  }
  return StrJoin(names, ", ");
}

// Returns the names of the features, for example "groups, apart", using the
// words of the input file.
std::string WordsFor(FeatureSet features, const Problem& problem) {
  std::vector<std::string> words = features.Names();
  if (problem.constraints() != nullptr) {
    std::replace(words.begin(), words.end(),
                 std::string(FeatureName(Feature::kGroups)),
                 problem.constraints()->group_word);
  }
  return StrJoin(words, ", ");
}

// Returns a text that explains how a bound above LowerBoundOf was proved. Only
// the strategy can have proved such a bound.
std::string ReasonOfHigherBound(const Solution& solution) {
  switch (solution.bound_proof.kind) {
    case BoundProof::Kind::kSearch:
      return StrCat("the search below ", solution.lower_bound,
                    " bytes is complete, ", solution.nodes, " nodes");
    case BoundProof::Kind::kChainWeights: {
      const size_t weights = solution.chain_weights.records.size();
      return StrCat(
          "weights on ", weights, weights == 1 ? " tensor" : " tensors",
          " prove that no plan is below ", solution.lower_bound, " bytes");
    }
    default:
      return StrCat("the fixed records leave no room for a plan below ",
                    solution.lower_bound, " bytes");
  }
}

// Drops a plan that exceeds the capacity, and states what is known about plans
// within the capacity.
void StateNoPlan(size_t capacity, bool is_search, Solution* solution) {
  if (!is_search) {
    const size_t total = solution->total_size;
    solution->DropPlan(SolutionStatus::kOverCapacity);
    solution->total_size = total;
    solution->reason = StrCat("the plan takes ", total,
                              " bytes, more than the capacity of ", capacity);
    return;
  }
  if (solution->lower_bound > capacity) {
    solution->DropPlan(SolutionStatus::kInfeasible);
    solution->reason = ReasonOfHigherBound(*solution);
    return;
  }
  solution->DropPlan(SolutionStatus::kTimeLimit);
  solution->reason = StrCat("no plan within ", capacity,
                            " bytes was found, nor a proof that there is none");
}

}  // namespace

Status CheckSupport(const Strategy& strategy, const Problem& problem) {
  const FeatureSet missing =
      problem.Requires().Without(strategy.info().features);
  if (missing.empty()) return OkStatus();
  const std::string supporters = SupportersOf(problem.Requires());
  return WithFeatures(
      UnimplementedError(
          StrCat("strategy '", strategy.info().name, "' does not support ",
                 WordsFor(missing, problem), "; ",
                 supporters.empty()
                     ? "no strategy supports all that the problem requires"
                     : StrCat("expected one of ", supporters))),
      missing);
}

Status UnsafePlanOf(const Strategy& strategy, const Status& error) {
  return AtPlace(
      StrCat("strategy '", strategy.info().name, "' returned an unsafe plan"),
      error);
}

StatusOr<Solution> CallStrategy(const Problem& problem,
                                const Strategy& strategy,
                                const SolveOptions& options) {
  const Clock::time_point start = Clock::now();
  StatusOr<Solution> solution = strategy.Solve(problem, options);
  const int64_t time_ns = NanosecondsSince(start);
  if (!solution.ok()) return solution;
  solution->time_ns = time_ns;
  solution->strategy = strategy.info().name;
  solution->seed = options.seed;
  // If there is a capacity, a search may finish without a plan. Under
  // constraints, any strategy may fail to place a record, for example within
  // its range or in its pools.
  const bool may_fail = strategy.info().is_search && problem.capacity();
  if (!solution->has_plan() && (may_fail || problem.constraints() != nullptr)) {
    return solution;
  }
  if (Status s = CheckPlan(problem, *solution); !s.ok()) {
    return UnsafePlanOf(strategy, s);
  }
  const StatusOr<size_t> total = TotalOf(*solution);
  if (!total.ok()) return total.status();
  solution->total_size = *total;
  if (solution->found_by.empty()) solution->found_by = strategy.info().name;
  return solution;
}

void TakeBound(const LowerBound& bound, Solution* solution) {
  if (solution->lower_bound > bound.bytes ||
      solution->bound_proof.kind == BoundProof::Kind::kSearch) {
    return;
  }
  solution->lower_bound = bound.bytes;
  solution->bound_proof = bound.proof;
}

void ClaimOptimum(const LowerBound& bound, Solution* solution) {
  if (solution->total_size != solution->lower_bound) return;
  solution->status = SolutionStatus::kOptimal;
  solution->reason = solution->lower_bound == bound.bytes
                         ? ReasonOfOptimum(bound.proof)
                         : ReasonOfHigherBound(*solution);
}

StatusOr<Solution> SolveByStrategy(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options, Settle settle) {
  if (Status s = CheckSupport(strategy, problem); !s.ok()) return s;
  const LowerBound& bound = LowerBoundOf(problem);
  const optional<size_t> capacity = problem.capacity();
  if (capacity && bound.bytes > *capacity) {
    return InfeasibleByBound(problem, *capacity);
  }
  StatusOr<Solution> solution = CallStrategy(problem, strategy, options);
  if (!solution.ok()) return solution;
  TakeBound(bound, &*solution);
  if (capacity && (solution->has_plan() ? solution->total_size > *capacity
                                        : problem.constraints() == nullptr)) {
    StateNoPlan(*capacity, strategy.info().is_search, &*solution);
    return solution;
  }
  settle(problem, strategy, &*solution);
  return solution;
}

}  // namespace stowage
