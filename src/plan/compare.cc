// SPDX-License-Identifier: Apache-2.0
#include "stowage/compare.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/model/watch.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

void AddCost(const Problem& problem, const Solution& solution,
             ComparedPlan* row) {
  const Constraints* const constraints = problem.constraints();
  if (constraints == nullptr || solution.offsets() == nullptr) return;
  if (constraints->pools.empty() && constraints->prefer_apart.empty()) return;
  row->cost = solution.cost;
  row->cost_bound = solution.cost_bound;
  row->pool_sizes = PoolSizes(problem, *solution.offsets());
}

StatusOr<ComparedPlan> CompareOne(const Problem& problem,
                                  const std::string& strategy,
                                  const CompareOptions& options) {
  ComparedPlan row;
  row.strategy = strategy;
  row.kind = problem.kind();
  row.lower_bound = LowerBoundOf(problem).bytes;
  const StatusOr<Solution> solution =
      options.plan ? options.plan(problem, strategy, options.solve)
                   : Solve(problem, strategy, options.solve);
  if (IsUnimplemented(solution.status()) ||
      IsResourceExhausted(solution.status())) {
    row.outcome = IsUnimplemented(solution.status())
                      ? ComparedPlan::Outcome::kUnsupported
                      : ComparedPlan::Outcome::kGaveUp;
    row.reason = std::string(solution.status().message());
    return row;
  }
  if (!solution.ok()) return solution.status();
  row.status = solution->status;
  row.lower_bound = solution->lower_bound;
  row.time_ns = solution->time_ns;
  if (!solution->has_plan()) {
    row.reason = solution->status == SolutionStatus::kOverCapacity
                     ? StrCat(strategy, ": ", solution->reason)
                     : solution->reason;
    return row;
  }
  row.total_size = solution->total_size;
  AddCost(problem, *solution, &row);
  return row;
}

}  // namespace

string_view ComparedPlan::StatusName() const {
  switch (outcome) {
    case Outcome::kUnsupported:
      return "unsupported";
    case Outcome::kGaveUp:
      return "gave_up";
    case Outcome::kUnsafe:
      return "unsafe";
    case Outcome::kSolved:
      break;
  }
  return SolutionStatusName(status);
}

std::vector<size_t> PoolSizes(const Problem& problem,
                              const OffsetsAssignment& plan) {
  const Constraints* const constraints = problem.constraints();
  if (constraints == nullptr || constraints->pools.empty()) return {};
  std::vector<size_t> sizes(constraints->pools.size());
  for (size_t i = 0; i < problem.size(); ++i) {
    size_t& size = sizes[plan.pools[i]];
    size = std::max(size, plan.offsets[i] + problem.records()[i].tensor_size);
  }
  return sizes;
}

std::vector<std::string> SupportersOf(const Problem& problem) {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (problem.Requires().Without(info.features).empty()) {
      names.push_back(info.name);
    }
  }
  return names;
}

StatusOr<std::vector<ComparedPlan>> CompareStrategies(
    const Problem& problem, const CompareOptions& options) {
  const std::vector<std::string> strategies =
      options.strategies.empty() ? SupportersOf(problem) : options.strategies;
  std::vector<ComparedPlan> rows;
  for (const std::string& strategy : strategies) {
    if (options.begin && !options.begin(strategy)) break;
    StatusOr<ComparedPlan> row = CompareOne(problem, strategy, options);
    if (!row.ok()) return row.status();
    if (options.progress) options.progress(*row);
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace stowage
