// SPDX-License-Identifier: Apache-2.0
// Compares strategies: problems times strategies, a row for each.
//
//   CompareOptions options;
//   options.strategies = {"greedy_by_size", "optimal"};
//   auto rows = CompareStrategies(*problem, options).value();
//   for (const ComparedPlan& row : rows)
//     std::cout << row.strategy << " " << row.StatusName() << "\n";
//
// For one plan and its assignment use planner.h; the rows keep sizes and times
// alone, so that comparisons of many large problems fit into memory.
#ifndef STOWAGE_COMPARE_H_
#define STOWAGE_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// One strategy on one problem.
struct ComparedPlan {
  // Why there may be no plan: kSolved says Solution::status.
  enum class Outcome {
    kSolved,
    kUnsupported,  // the strategy lacks a feature that the problem requires
    kGaveUp,       // too many records for it, or no memory
    kTooLarge,     // its plan is larger than the capacity of the problem
  };
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  Outcome outcome = Outcome::kSolved;
  SolutionStatus status = SolutionStatus::kFeasible;  // if kSolved
  absl::optional<size_t> total_size;  // bytes; none without a plan
  size_t lower_bound = 0;  // bytes; the problem's own, or what a search proved
  // Of problems with pools or preferences: what the plan costs, which comes
  // before its size; and the bytes of each pool that it takes.
  absl::optional<uint64_t> cost;
  std::vector<size_t> pool_sizes;
  std::string reason;   // why it has no plan
  absl::Duration time;  // of the strategy's own call

  // That of the solution, or "unsupported", "gave_up" or "over_capacity".
  absl::string_view StatusName() const;
};

struct CompareOptions {
  // Names in the order of the rows; empty for all that SupportersOf lists.
  std::vector<std::string> strategies;
  // For strategies that search. Rows repeat on every machine with a node
  // budget, and with a time limit where no search comes to it.
  SolveOptions solve;
  // Called before each strategy; false ends the comparison with the rows there
  // are.
  std::function<bool(absl::string_view strategy)> begin;
  // Called with each row, by the thread that compares.
  std::function<void(const ComparedPlan&)> progress;
};

// The bytes of each pool of the problem (constraints.h) that a plan takes: the
// highest end of a record in it. Empty for a problem without pools. Requires a
// plan that FindViolation (verify.h) lets pass. O(records + pools).
std::vector<size_t> PoolSizes(const Problem& problem,
                              const OffsetsAssignment& plan);

// The registered strategies that support all that the problem requires, by
// name. O(strategies).
std::vector<std::string> SupportersOf(const Problem& problem);

// Solves the problem with each strategy. A strategy that refuses the
// problem or gives up has a row, too. Errors: NotFound for a name that no
// strategy has; those of Solve (planner.h) but Unimplemented and
// ResourceExhausted.
absl::StatusOr<std::vector<ComparedPlan>> CompareStrategies(
    const Problem& problem, const CompareOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_COMPARE_H_
