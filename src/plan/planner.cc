// SPDX-License-Identifier: Apache-2.0
#include "stowage/planner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "src/bounds/constrained_bound.h"
#include "src/bounds/contradiction.h"
#include "src/bounds/pool_shortage.h"
#include "src/model/watch.h"
#include "src/plan/check_plan.h"
#include "src/plan/group_choice.h"
#include "src/plan/incumbent.h"
#include "src/plan/infeasible_by_bound.h"
#include "src/plan/kept_groups.h"
#include "src/plan/order_planner.h"
#include "src/plan/solve_simpler.h"
#include "stowage/error_payload.h"
#include "stowage/labels.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "stowage/write_text.h"

namespace stowage {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the names of the strategies that support all of `required`, for
// example "naive, equality"; empty if there are none.
std::string SupportersOf(FeatureSet required) {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (required.Without(info.features).empty()) names.push_back(info.name);
  }
  return absl::StrJoin(names, ", ");
}

// Returns the names of the features, for example "groups, apart", in the words
// of the input.
std::string WordsFor(FeatureSet features, const Problem& problem) {
  std::vector<std::string> words = features.Names();
  if (problem.constraints() != nullptr) {
    std::replace(words.begin(), words.end(),
                 std::string(FeatureName(Feature::kGroups)),
                 problem.constraints()->group_word);
  }
  return absl::StrJoin(words, ", ");
}

absl::Status CheckSupport(const Strategy& strategy, const Problem& problem) {
  const FeatureSet missing =
      problem.Requires().Without(strategy.info().features);
  if (missing.empty()) return absl::OkStatus();
  const std::string supporters = SupportersOf(problem.Requires());
  return WithFeatures(
      absl::UnimplementedError(absl::StrCat(
          "strategy '", strategy.info().name, "' does not support ",
          WordsFor(missing, problem), "; ",
          supporters.empty()
              ? "no strategy supports all that the problem requires"
              : absl::StrCat("expected one of ", supporters))),
      missing);
}

// Returns the text that says what proves a bound that is higher than that of
// LowerBoundOf. Only the strategy can have proved such a bound.
std::string ReasonOfHigherBound(const Solution& solution) {
  switch (solution.bound_proof.kind) {
    case BoundProof::Kind::kSearch:
      return absl::StrCat("the search below ", solution.lower_bound,
                          " bytes is complete, ", solution.nodes, " nodes");
    case BoundProof::Kind::kChainWeights: {
      const size_t weights = solution.chain_weights.records.size();
      return absl::StrCat(
          "weights on ", weights, weights == 1 ? " tensor" : " tensors",
          " prove that no plan is below ", solution.lower_bound, " bytes");
    }
    default:
      return absl::StrCat("the fixed records leave no room for a plan below ",
                          solution.lower_bound, " bytes");
  }
}

// Replaces the bound of the solution by that of the problem, unless the
// strategy has proved a higher bound, or has proved the same bound by a search.
void TakeBound(const LowerBound& bound, Solution* solution) {
  if (solution->lower_bound > bound.bytes ||
      solution->bound_proof.kind == BoundProof::Kind::kSearch) {
    return;
  }
  solution->lower_bound = bound.bytes;
  solution->bound_proof = bound.proof;
}

// Drops a plan above the capacity, and states what is known about plans within
// the capacity.
void StateNoPlan(size_t capacity, bool is_search, Solution* solution) {
  if (!is_search) {
    const size_t total = solution->total_size;
    solution->DropPlan(SolutionStatus::kOverCapacity);
    solution->total_size = total;
    solution->reason =
        absl::StrCat("the plan takes ", total,
                     " bytes, more than the capacity of ", capacity);
    return;
  }
  if (solution->lower_bound > capacity) {
    solution->DropPlan(SolutionStatus::kInfeasible);
    solution->reason = ReasonOfHigherBound(*solution);
    return;
  }
  solution->DropPlan(SolutionStatus::kTimeLimit);
  solution->reason =
      absl::StrCat("no plan within ", capacity,
                   " bytes was found, nor a proof that there is none");
}

void ClaimOptimum(const LowerBound& bound, Solution* solution) {
  if (solution->total_size != solution->lower_bound) return;
  solution->status = SolutionStatus::kOptimal;
  solution->reason =
      solution->lower_bound == bound.bytes
          ? absl::StrCat(bound.bytes > 0 ? "the total equals " : "",
                         Describe(bound))
          : ReasonOfHigherBound(*solution);
}

absl::Status UnsafePlanOf(const Strategy& strategy, const absl::Status& error) {
  return AtPlace(absl::StrCat("strategy '", strategy.info().name,
                              "' returned an unsafe plan"),
                 error);
}

// Calls the strategy and verifies its answer.
absl::StatusOr<Solution> CallStrategy(const Problem& problem,
                                      const Strategy& strategy,
                                      const SolveOptions& options) {
  const Clock::time_point start = Clock::now();
  absl::StatusOr<Solution> solution = strategy.Solve(problem, options);
  const int64_t time_ns = NanosecondsSince(start);
  if (!solution.ok()) return solution;
  solution->time_ns = time_ns;
  solution->strategy = strategy.info().name;
  solution->seed = options.seed;
  // A search may return no plan, and any strategy may find no room for records
  // that are restricted to ranges and pools.
  const bool may_fail = strategy.info().is_search && problem.capacity();
  if (!solution->has_plan() && (may_fail || problem.constraints() != nullptr)) {
    return solution;
  }
  if (absl::Status s = CheckPlan(problem, *solution); !s.ok()) {
    return UnsafePlanOf(strategy, s);
  }
  const absl::StatusOr<size_t> total = TotalOf(*solution);
  if (!total.ok()) return total.status();
  solution->total_size = *total;
  if (solution->found_by.empty()) solution->found_by = strategy.info().name;
  return solution;
}

// Returns the reason why a complete search, possibly with no nodes, has found
// no plan.
std::string ReasonOfNoPlan(const Problem& problem, const Solution& solution) {
  std::string reason;
  if (solution.nodes > 0) {
    reason = absl::StrCat("the search for any plan is complete, ",
                          solution.nodes, " nodes: ");
  }
  absl::StrAppend(&reason, "no plan keeps the constraints");
  if (!solution.conflict.empty()) {
    absl::StrAppend(&reason, " of ",
                    NamesOfRecords(problem, solution.conflict));
  }
  std::vector<std::string> capacities;
  for (const MemoryPool& pool : problem.constraints()->pools) {
    if (!pool.capacity) continue;
    capacities.push_back(
        absl::StrCat("pool '", pool.name, "' has ", *pool.capacity, " bytes"));
  }
  if (problem.capacity()) {
    capacities.push_back(
        absl::StrCat("the capacity is ", *problem.capacity(), " bytes"));
  }
  if (!capacities.empty()) {
    absl::StrAppend(&reason, "; ", absl::StrJoin(capacities, ", "));
  }
  return reason;
}

// States what is known of a plan under constraints, or of a missing plan.
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
  solution->cost_bound = std::max(solution->cost_bound, BoundCost(problem));
  solution->status = SolutionStatus::kFeasible;
  if (solution->cost > solution->cost_bound) return;
  ClaimOptimum(bound, solution);
  if (solution->bound_proof.kind == BoundProof::Kind::kPoolsOfCost &&
      solution->status == SolutionStatus::kOptimal) {
    solution->reason = "no plan of that cost is smaller";
  }
}

// Returns whether an incumbent is proved to be optimal before any search.
bool IsAtBound(const Problem& problem, const Solution& incumbent) {
  return incumbent.has_plan() && problem.free_order() == nullptr &&
         problem.constraints() == nullptr && !problem.groups_are_optional() &&
         incumbent.total_size == LowerBoundOf(problem).bytes;
}

// Returns a solution with the bound of the problem alone.
Solution NothingTried(const Problem& problem, const Strategy& strategy,
                      const SolveOptions& options) {
  Solution solution;
  solution.strategy = strategy.info().name;
  solution.seed = options.seed;
  TakeBound(LowerBoundOf(problem), &solution);
  return solution;
}

// Solves a problem without an incumbent.
absl::StatusOr<Solution> SolveAfresh(const Problem& problem,
                                     const Strategy& strategy,
                                     const SolveOptions& options) {
  if (problem.free_order() != nullptr) {
    return SolveFreeOrder(problem, strategy, options);
  }
  if (problem.groups_are_optional()) {
    absl::StatusOr<GroupChoice> choice =
        ChooseGroups(problem, strategy, options);
    if (!choice.ok()) return choice.status();
    return std::move(choice->solution);
  }
  if (auto infeasible = FindContradiction(problem)) {
    return *std::move(infeasible);
  }
  if (problem.constraints() != nullptr) {
    auto solution = SolveSimpler(problem, strategy, options);
    if (solution) return *std::move(solution);
  }
  if (absl::Status s = CheckSupport(strategy, problem); !s.ok()) return s;
  const LowerBound& bound = LowerBoundOf(problem);
  const absl::optional<size_t> capacity = problem.capacity();
  if (capacity && bound.bytes > *capacity) {
    return InfeasibleByBound(problem, *capacity);
  }
  absl::StatusOr<Solution> solution = CallStrategy(problem, strategy, options);
  if (!solution.ok()) return solution;
  TakeBound(bound, &*solution);
  const bool is_constrained = problem.constraints() != nullptr;
  if (capacity && (solution->has_plan() ? solution->total_size > *capacity
                                        : !is_constrained)) {
    StateNoPlan(*capacity, strategy.info().is_search, &*solution);
    return solution;
  }
  if (is_constrained) {
    SettleConstrained(problem, strategy, &*solution);
    return solution;
  }
  solution->status = SolutionStatus::kFeasible;
  ClaimOptimum(bound, &*solution);
  return solution;
}

}  // namespace

absl::StatusOr<Solution> Solve(const Problem& problem, const Strategy& strategy,
                               const SolveOptions& options) {
  Watch watch(options);
  SolveOptions watched = options;
  if (options.observer != nullptr) watched.observer = &watch;
  if (options.incumbent == nullptr) {
    return SolveAfresh(problem, strategy, watched);
  }
  absl::StatusOr<Solution> incumbent =
      CheckedIncumbent(problem, *options.incumbent);
  if (!incumbent.ok()) return incumbent;
  watched.incumbent = nullptr;
  const bool is_decided =
      options.decide && problem.capacity() && incumbent->has_plan();
  if ((is_decided || IsAtBound(problem, *incumbent)) &&
      CheckSupport(strategy, problem).ok()) {
    return BetterOf(*std::move(incumbent),
                    NothingTried(problem, strategy, options));
  }
  absl::StatusOr<Solution> found = SolveAfresh(problem, strategy, watched);
  if (absl::IsResourceExhausted(found.status()) && incumbent->has_plan()) {
    found = NothingTried(problem, strategy, options);
  }
  if (!found.ok()) return found;
  return BetterOf(*std::move(incumbent), *std::move(found));
}

absl::StatusOr<Solution> Solve(const Problem& problem,
                               absl::string_view strategy,
                               const SolveOptions& options) {
  const absl::StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  return Solve(problem, **found, options);
}

absl::StatusOr<Problem> DecidedProblem(const Problem& problem,
                                       const Solution& solution) {
  const FreeOrder* const free_order = problem.free_order();
  if (free_order == nullptr && !problem.groups_are_optional()) return problem;
  ProblemSpec spec = problem.ToSpec();
  if (free_order != nullptr) {
    if (auto violation = FindOrderViolation(*free_order, solution.order)) {
      return absl::InvalidArgumentError(Describe(*violation));
    }
    spec.records = RecordsInOrder(spec.records, *free_order, solution.order);
    spec.labels = LabelsInOrder(std::move(spec.labels), solution.order);
    spec.free_order.reset();
  } else {
    if (absl::Status s = KeepGroups(solution.places, &spec); !s.ok()) return s;
    spec.groups_are_optional = false;
  }
  return Problem::Create(std::move(spec));
}

absl::Status WriteSearchLog(const Problem& problem, const Solution& solution,
                            const WriteText& write) {
  if (solution.search_proof.records.empty()) {
    return absl::FailedPreconditionError(
        "solution: no search proved it; expected one with a proof by search");
  }
  const absl::StatusOr<const Strategy*> found = FindStrategy(solution.strategy);
  if (!found.ok()) return found.status();
  return (*found)->WriteSearchLog(problem, solution.search_proof, write);
}

namespace {

absl::StatusOr<Solution> SolveClassic(ProblemSpec spec, MemoryStrategy strategy,
                                      const UsageGraph* reallocation_graph) {
  const absl::StatusOr<const Strategy*> found =
      FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  if (reallocation_graph != nullptr) {
    spec.reallocation_graph = *reallocation_graph;
  }
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  if (absl::Status s = CheckSupport(**found, *problem); !s.ok()) return s;
  return CallStrategy(*problem, **found, {});
}

// Assigns shared objects to records with sizes of several components.
template <typename TensorSizeT>
absl::StatusOr<ObjectsAssignment<TensorSizeT>> AssignExtents(
    absl::Span<const TensorUsageRecord<TensorSizeT>> records,
    MemoryStrategy strategy, const UsageGraph* reallocation_graph) {
  const absl::StatusOr<const Strategy*> found =
      FindStrategy(StrategyName(strategy));
  if (!found.ok()) return found.status();
  if (reallocation_graph != nullptr) {
    return absl::UnimplementedError(
        "reallocation graph: not supported for extents and shapes; expected "
        "sizes in bytes");
  }
  if (absl::Status s = CheckUsageRecords(records); !s.ok()) return s;
  absl::StatusOr<ExtentObjects> objects = (*found)->AssignExtents(records);
  if (!objects.ok()) return objects.status();
  auto* const plan = absl::get_if<ObjectsAssignment<TensorSizeT>>(&*objects);
  const absl::Status checked =
      plan != nullptr ? UnsafeError(FindViolation(records, *plan))
                      : absl::FailedPreconditionError(
                            "its objects are of another type of size");
  if (!checked.ok()) return UnsafePlanOf(**found, checked);
  return std::move(*plan);
}

}  // namespace

template <typename TensorSizeT>
absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<TensorSizeT>>& usage_records,
    MemoryStrategy strategy, ObjectsAssignment<TensorSizeT>* assignment,
    const UsageGraph* reallocation_graph) {
  if constexpr (std::is_same_v<TensorSizeT, size_t>) {
    ProblemSpec spec;
    spec.kind = PlanKind::kObjects;
    spec.records = usage_records;
    const absl::StatusOr<Solution> solution =
        SolveClassic(std::move(spec), strategy, reallocation_graph);
    if (!solution.ok()) return solution.status();
    *assignment = *solution->objects();
  } else {
    absl::StatusOr<ObjectsAssignment<TensorSizeT>> objects = AssignExtents(
        absl::MakeConstSpan(usage_records), strategy, reallocation_graph);
    if (!objects.ok()) return objects.status();
    *assignment = *std::move(objects);
  }
  return absl::OkStatus();
}

template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<size_t>>&, MemoryStrategy,
    ObjectsAssignment<size_t>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint2>>&, MemoryStrategy,
    ObjectsAssignment<uint2>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<uint3>>&, MemoryStrategy,
    ObjectsAssignment<uint3>*, const UsageGraph*);
template absl::Status AssignObjectsToTensors(
    const std::vector<TensorUsageRecord<BHWC>>&, MemoryStrategy,
    ObjectsAssignment<BHWC>*, const UsageGraph*);

absl::Status AssignOffsetsToTensors(
    const std::vector<TensorUsageRecord<size_t>>& usage_records,
    const MemoryStrategy& strategy, OffsetsAssignment* assignment,
    size_t base_addr_align_bytes, const UsageGraph* reallocation_graph) {
  ProblemSpec spec;
  spec.records = usage_records;
  spec.alignment = base_addr_align_bytes;
  const absl::StatusOr<Solution> solution =
      SolveClassic(std::move(spec), strategy, reallocation_graph);
  if (!solution.ok()) return solution.status();
  *assignment = *solution->offsets();
  return absl::OkStatus();
}

}  // namespace stowage
