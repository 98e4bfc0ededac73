// SPDX-License-Identifier: Apache-2.0
// Solves a problem whose tasks have a free order. Returns the solution together
// with the problem in the order that the solution chose.
#ifndef STOWAGE_TESTS_SUPPORT_ORDERED_SOLUTION_H_
#define STOWAGE_TESTS_SUPPORT_ORDERED_SOLUTION_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/free_order.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::support {

struct OrderedSolution {
  Problem problem;  // its tasks have the order of the solution
  Solution solution;
};

inline absl::StatusOr<OrderedSolution> SolveFreeOrder(
    ProblemSpec spec, FreeOrder free_order, absl::string_view strategy,
    const SolveOptions& options) {
  spec.free_order = std::move(free_order);
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  absl::StatusOr<Solution> solution = Solve(*problem, strategy, options);
  if (!solution.ok()) return solution.status();
  absl::StatusOr<Problem> decided = DecidedProblem(*problem, *solution);
  if (!decided.ok()) return decided.status();
  return OrderedSolution{*std::move(decided), *std::move(solution)};
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_ORDERED_SOLUTION_H_
