// SPDX-License-Identifier: Apache-2.0
// Plans the traces of a report with one strategy.
#ifndef STOWAGE_SRC_COMMAND_REPLAN_H_
#define STOWAGE_SRC_COMMAND_REPLAN_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/trace.h"

namespace stowage::cli {

// The strategy and the options to plan with.
struct Replanner {
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  SolveOptions options;

  // Plan returns a plan of the trace, and Total returns the total size of this
  // plan. Errors of both: those of Problem::Create and Solve; ResourceExhausted
  // if a search ends without a plan; FailedPrecondition if no plan exists.
  absl::StatusOr<Solution> Plan(const Trace& trace) const;
  absl::StatusOr<size_t> Total(const Trace& trace) const;
};

// Returns the trace with the plan of the solution in its columns. If the trace
// already has a plan, it is replaced. The solution must have a plan.
Trace WithPlan(Trace trace, PlanKind kind, const Solution& solution);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_REPLAN_H_
