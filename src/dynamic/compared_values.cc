// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/compared_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/dynamic_state.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

// Problems of at most kMaxSearched records are searched for an optimal plan at
// each compared value. Each search visits at most kSearchNodes nodes, and all
// searches together visit at most kAllSearchNodes. 100,000 nodes take about
// half a second.
constexpr size_t kMaxSearched = 24;
constexpr uint64_t kSearchNodes = 100'000;
constexpr uint64_t kAllSearchNodes = 400'000;

// The number of compared values is kMaxComparedSizes divided by the number of
// records, clamped to [kMinCompared, kMaxCompared].
constexpr size_t kMaxComparedSizes = size_t{1} << 18;
constexpr size_t kMaxCompared = 1024;
constexpr size_t kMinCompared = 16;

StatusOr<Solution> SolveWithin(const Problem& problem, const char* strategy,
                               uint64_t nodes) {
  SolveOptions options;
  options.time_limit_ns = kNoTimeLimit;
  options.node_budget = nodes;
  return Solve(problem, strategy, options);
}

// Applies a strategy. Raises `best->bound` if the strategy proves a higher
// bound, and replaces the plan in `best` if the plan of the strategy is
// smaller. Errors: those of Solve, if the strategy is missing in this build or
// does not support the problem.
Status TakePlan(const Problem& problem, const char* strategy, uint64_t nodes,
                ComparedValue* best) {
  const StatusOr<Solution> solution = SolveWithin(problem, strategy, nodes);
  if (!solution.ok()) return solution.status();
  best->bound = std::max(best->bound, solution->lower_bound);
  const OffsetsAssignment* const plan = solution->offsets();
  if (plan == nullptr) return InternalError(StrCat(strategy, ": no plan"));
  if (!best->offsets.empty() && best->need <= plan->total_size) {
    return OkStatus();
  }
  best->need = plan->total_size;
  best->offsets = plan->offsets;
  return OkStatus();
}

}  // namespace

uint64_t SearchNodesFor(size_t plans) {
  return std::min<uint64_t>(kSearchNodes,
                            kAllSearchNodes / std::max<size_t>(plans, 1));
}

StatusOr<Solution> SearchPlan(const Problem& problem) {
  return SolveWithin(problem, "optimal", kSearchNodes);
}

StatusOr<ComparedValue> PlanForSizes(const DynamicProblem& problem,
                                     const ParameterValues& values,
                                     std::vector<size_t> sizes,
                                     uint64_t nodes) {
  ProblemSpec spec = problem.SpecWithSizes(sizes);
  // The capacity is removed because it limits the reserve for all values and
  // not the plan for a single value.
  spec.capacity.reset();
  const StatusOr<Problem> created = Problem::Create(std::move(spec));
  if (!created.ok()) return created.status();
  ComparedValue result;
  result.values = values;
  result.sizes = std::move(sizes);
  result.bound = LowerBoundOf(*created).bytes;
  // "naive" is tried first because every build of this library has it, but it
  // does not support groups.
  Status status = TakePlan(*created, "naive", nodes, &result);
  for (const char* const strategy : {"skyline", "greedy_by_size", "optimal"}) {
    const bool has_plan = result.offsets.size() == problem.size();
    if (has_plan && result.need <= result.bound) break;
    if (strategy == std::string("optimal") && problem.size() > kMaxSearched) {
      break;
    }
    status = TakePlan(*created, strategy, nodes, &result);
  }
  // If no strategy has found a plan, only the error of the last strategy is
  // returned, because the earlier strategies may merely not support the
  // problem.
  if (result.offsets.size() != problem.size()) return status;
  return result;
}

StatusOr<std::vector<ComparedValue>> CompareValues(
    const DynamicProblem& problem) {
  const size_t records = std::max<size_t>(problem.size(), 1);
  const size_t count = std::min(
      kMaxCompared, std::max(kMinCompared, kMaxComparedSizes / records));
  std::vector<ComparedValue> compared;
  const std::vector<ParameterValues> sample = problem.SampleValues(count);
  const uint64_t nodes = SearchNodesFor(sample.size());
  for (const ParameterValues& values : sample) {
    StatusOr<std::vector<size_t>> sizes = problem.SizesAt(values);
    if (!sizes.ok()) return sizes.status();
    StatusOr<ComparedValue> value =
        PlanForSizes(problem, values, *std::move(sizes), nodes);
    if (!value.ok()) return value.status();
    compared.push_back(*std::move(value));
  }
  // The largest need is worth a search of its own, because the reserve is
  // compared with it.
  const auto largest = std::max_element(
      compared.begin(), compared.end(),
      [](const auto& a, const auto& b) { return a.need < b.need; });
  const bool was_searched =
      problem.size() <= kMaxSearched && nodes >= kSearchNodes;
  // With groups, each node of a search takes far longer, so only problems with
  // few records are searched.
  const bool is_searched =
      problem.size() <= kMaxSearched || HasNoGroups(problem.spec().problem);
  if (largest->need > largest->bound && is_searched && !was_searched) {
    const StatusOr<Problem> problem_at = problem.ProblemAt(largest->values);
    if (problem_at.ok()) {
      // If this search finds no plan, the previous plan is kept.
      (void)TakePlan(*problem_at, "optimal", kSearchNodes, &*largest);
    }
  }
  return compared;
}

std::vector<size_t> OrderOf(const ComparedValue& plan) {
  std::vector<size_t> order(plan.offsets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(plan.offsets[a], plan.sizes[a], a) <
           std::tuple(plan.offsets[b], plan.sizes[b], b);
  });
  return order;
}

}  // namespace stowage
