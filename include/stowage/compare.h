// SPDX-License-Identifier: Apache-2.0
// Compares strategies. The result has one row for each strategy.
//
//   CompareOptions options;
//   options.strategies = {"greedy_by_size", "optimal"};
//   auto rows = CompareStrategies(*problem, options).value();
//   for (const ComparedPlan& row : rows)
//     std::cout << row.strategy << " " << row.StatusName() << "\n";
//
// To get a single plan with its assignment, use planner.h. A row contains only
// sizes and times, so comparisons of many large problems fit in memory.
#ifndef STOWAGE_COMPARE_H_
#define STOWAGE_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// The result of one strategy on one problem.
struct ComparedPlan {
  // The kind of result: either a solution, or the reason why there is no
  // solution. `status` shows whether the solution has a plan.
  enum class Outcome {
    kSolved,
    kUnsupported,  // the strategy lacks a feature that the problem requires
    kGaveUp,       // too many records for the strategy, or too little memory
    // The plan is not safe (verify.h). CompareStrategies never returns this
    // outcome; it is for plans from other sources.
    kUnsafe,
  };
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  Outcome outcome = Outcome::kSolved;
  SolutionStatus status = SolutionStatus::kFeasible;  // is set only for kSolved
  optional<size_t> total_size;  // in bytes; nullopt if there is no plan
  // The highest known lower bound in bytes: that of LowerBoundOf
  // (lower_bound.h), or a higher bound that a search proved.
  size_t lower_bound = 0;
  // The cost of the plan, a lower bound of the cost of every plan
  // (Solution::cost_bound), and the number of bytes that the plan uses in each
  // pool. Set only for plans of problems with pools or preferences. Plans of
  // such problems are compared by cost before size.
  optional<uint64_t> cost;
  uint64_t cost_bound = 0;
  std::vector<size_t> pool_sizes;
  std::string reason;  // says why there is no plan
  // The time of the strategy in nanoseconds.
  int64_t time_ns = 0;

  // Returns the name of the solution's status (SolutionStatusName), or
  // "unsupported", "gave_up" or "unsafe" if there is no solution.
  string_view StatusName() const;
};

// The strategies to compare, and how to call them.
struct CompareOptions {
  // The names of the strategies, in the order of the rows. If the list is
  // empty, all strategies that SupportersOf returns are compared.
  std::vector<std::string> strategies;
  // The options of each strategy. With a node budget, all parts of the rows
  // except times are the same on every machine. With a time limit, this holds
  // only if no search reaches the limit.
  SolveOptions solve;
  // If set, this function makes each plan in place of Solve.
  std::function<StatusOr<Solution>(const Problem& problem, string_view strategy,
                                   const SolveOptions& options)>
      plan;
  // If set, `begin` is called before each strategy. If `begin` returns false,
  // the comparison stops and returns the rows that are complete.
  std::function<bool(string_view strategy)> begin;
  // If set, `progress` is called with each row, on the thread that called
  // CompareStrategies.
  std::function<void(const ComparedPlan&)> progress;
};

// Returns the number of bytes that a plan uses in each pool of the problem
// (constraints.h): the highest end of a record in the pool. Returns an empty
// list for a problem without pools. Requires a plan in which FindViolation
// (verify.h) finds no violation. O(records + pools).
std::vector<size_t> PoolSizes(const Problem& problem,
                              const OffsetsAssignment& plan);

// Returns the registered strategies that support everything that the problem
// requires, sorted by name. O(strategies).
std::vector<std::string> SupportersOf(const Problem& problem);

// Solves the problem with each strategy. A strategy that refuses the problem or
// gives up also has a row. Errors: NotFound for an unknown strategy; those of
// Solve (planner.h) except Unimplemented and ResourceExhausted.
StatusOr<std::vector<ComparedPlan>> CompareStrategies(
    const Problem& problem, const CompareOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_COMPARE_H_
