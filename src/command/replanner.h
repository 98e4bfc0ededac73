// SPDX-License-Identifier: Apache-2.0
// Plans all problems of a report with one strategy.
#ifndef STOWAGE_SRC_COMMAND_REPLANNER_H_
#define STOWAGE_SRC_COMMAND_REPLANNER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::cli {

// The strategy and the options to plan with.
struct Replanner {
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  SolveOptions options;

  // Plan returns a plan of the problem, and Total returns the total size of
  // this plan. Errors of both: those of Problem::Create and Solve;
  // ResourceExhausted if a search stops without a plan; FailedPrecondition if
  // no plan exists.
  absl::StatusOr<Solution> Plan(const ProblemSpec& problem) const;
  absl::StatusOr<size_t> Total(const ProblemSpec& problem) const;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_REPLANNER_H_
