// SPDX-License-Identifier: Apache-2.0
#include "stowage/planner.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/bounds/fixed_contradiction.h"
#include "src/model/constraint_support.h"
#include "src/model/watch.h"
#include "src/plan/check_plan.h"
#include "src/plan/incumbent.h"
#include "src/plan/solve_steps.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "stowage/write_text.h"

namespace stowage {
namespace {

// Returns whether the incumbent is known to be optimal without a search.
bool IsAtBound(const Problem& problem, const Solution& incumbent) {
  return incumbent.has_plan() && !NeedsConstraints(problem) &&
         incumbent.total_size == LowerBoundOf(problem).bytes;
}

// Returns a solution that has no plan, only the lower bound of the problem.
Solution NothingTried(const Problem& problem, const Strategy& strategy,
                      const SolveOptions& options) {
  Solution solution = NothingFound(problem);
  solution.strategy = strategy.info().name;
  solution.seed = options.seed;
  return solution;
}

// Sets the status of the plan for a problem without constraints, and the reason
// if the plan is optimal.
void SettlePlain(const Problem& problem, const Strategy& /*strategy*/,
                 Solution* solution) {
  solution->status = SolutionStatus::kFeasible;
  ClaimOptimum(LowerBoundOf(problem), solution);
}

// Solves a problem without an incumbent.
StatusOr<Solution> SolveAfresh(const Problem& problem, const Strategy& strategy,
                               const SolveOptions& options) {
  if (NeedsConstraints(problem)) {
    return LinkedConstraints()->solve(problem, strategy, options);
  }
  if (auto infeasible = FindFixedContradiction(problem)) {
    return *std::move(infeasible);
  }
  return SolveByStrategy(problem, strategy, options, &SettlePlain);
}

}  // namespace

StatusOr<Solution> SolveUnsettled(const Problem& problem,
                                  const Strategy& strategy,
                                  const SolveOptions& options) {
  Watch watch(options);
  SolveOptions watched = options;
  if (options.observer != nullptr) watched.observer = &watch;
  if (options.incumbent == nullptr) {
    return SolveAfresh(problem, strategy, watched);
  }
  StatusOr<Solution> incumbent = CheckedIncumbent(problem, *options.incumbent);
  if (!incumbent.ok()) return incumbent;
  watched.incumbent = nullptr;
  const bool is_decided =
      options.decide && problem.capacity() && incumbent->has_plan();
  if ((is_decided || IsAtBound(problem, *incumbent)) &&
      CheckSupport(strategy, problem).ok()) {
    return BetterOf(*std::move(incumbent),
                    NothingTried(problem, strategy, options));
  }
  StatusOr<Solution> found = SolveAfresh(problem, strategy, watched);
  if (IsResourceExhausted(found.status()) && incumbent->has_plan()) {
    found = NothingTried(problem, strategy, options);
  }
  if (!found.ok()) return found;
  return BetterOf(*std::move(incumbent), *std::move(found));
}

StatusOr<Solution> Solve(const Problem& problem, const Strategy& strategy,
                         const SolveOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  // Remembers that the observer has ended the search, so that it is not asked
  // again.
  Watch watch(options);
  SolveOptions watched = options;
  if (options.observer != nullptr) watched.observer = &watch;
  StatusOr<Solution> solution = SolveUnsettled(problem, strategy, watched);
  if (solution.ok() && NeedsConstraints(problem)) {
    LinkedConstraints()->settle_conflict(problem, strategy, watched,
                                         NanosecondsSince(begin), &*solution);
  }
  return solution;
}

StatusOr<Solution> Solve(const Problem& problem, string_view strategy,
                         const SolveOptions& options) {
  const StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  return Solve(problem, **found, options);
}

StatusOr<Problem> DecidedProblem(const Problem& problem,
                                 const Solution& solution) {
  if (problem.free_order() == nullptr && !LeavesChoiceOfGroups(problem)) {
    return problem;
  }
  return LinkedConstraints()->decided_problem(problem, solution);
}

Status WriteSearchLog(const Problem& problem, const Solution& solution,
                      const WriteText& write) {
  if (solution.search_proof.records.empty()) {
    return FailedPreconditionError(
        "solution: no search proved it; expected one with a proof by search");
  }
  const StatusOr<const Strategy*> found = FindStrategy(solution.strategy);
  if (!found.ok()) return found.status();
  return (*found)->WriteSearchLog(problem, solution.search_proof, write);
}

namespace {

StatusOr<Solution> SolveClassic(ProblemSpec spec, MemoryStrategy strategy,
                                const UsageGraph* reallocation_graph) {
  const StatusOr<const Strategy*> found = FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  if (reallocation_graph != nullptr) {
    spec.reallocation_graph = *reallocation_graph;
  }
  const StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  if (Status s = CheckSupport(**found, *problem); !s.ok()) return s;
  return CallStrategy(*problem, **found, {});
}

// Assigns shared objects to records that have sizes of several components.
template <typename TensorSizeT>
StatusOr<ObjectsAssignment<TensorSizeT>> AssignExtents(
    Span<const TensorUsageRecord<TensorSizeT>> records, MemoryStrategy strategy,
    const UsageGraph* reallocation_graph) {
  const StatusOr<const Strategy*> found = FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  if (reallocation_graph != nullptr) {
    return UnimplementedError(
        "reallocation graph: not supported for extents and shapes; expected "
        "sizes in bytes");
  }
  if (Status s = CheckUsageRecords(records); !s.ok()) return s;
  StatusOr<ExtentObjects> objects = (*found)->AssignExtents(records);
  if (!objects.ok()) return objects.status();
  auto* const plan = std::get_if<ObjectsAssignment<TensorSizeT>>(&*objects);
  const Status checked =
      plan != nullptr
          ? UnsafeError(FindViolation(records, *plan))
          : FailedPreconditionError("its objects are of another type of size");
  if (!checked.ok()) return UnsafePlanOf(**found, checked);
  return std::move(*plan);
}

}  // namespace

template <typename TensorSizeT>
Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph) {
  if constexpr (std::is_same_v<TensorSizeT, size_t>) {
    ProblemSpec spec;
    spec.kind = PlanKind::kObjects;
    spec.records = usage_records;
    const StatusOr<Solution> solution =
        SolveClassic(std::move(spec), strategy, reallocation_graph);
    if (!solution.ok()) return solution.status();
    *assignment = *solution->objects();
  } else {
    StatusOr<ObjectsAssignment<TensorSizeT>> objects = AssignExtents(
        MakeConstSpan(usage_records), strategy, reallocation_graph);
    if (!objects.ok()) return objects.status();
    *assignment = *std::move(objects);
  }
  return OkStatus();
}

template Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<size_t>>&, MemoryStrategy,
    ObjectsAssignment<size_t>*, const UsageGraph*);
template Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint2>>&, MemoryStrategy,
    ObjectsAssignment<uint2>*, const UsageGraph*);
template Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint3>>&, MemoryStrategy,
    ObjectsAssignment<uint3>*, const UsageGraph*);
template Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<BHWC>>&, MemoryStrategy,
    ObjectsAssignment<BHWC>*, const UsageGraph*);

Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes, const UsageGraph* reallocation_graph) {
  ProblemSpec spec;
  spec.records = usage_records;
  spec.alignment = base_addr_align_bytes;
  const StatusOr<Solution> solution =
      SolveClassic(std::move(spec), strategy, reallocation_graph);
  if (!solution.ok()) return solution.status();
  *assignment = *solution->offsets();
  return OkStatus();
}

}  // namespace stowage
