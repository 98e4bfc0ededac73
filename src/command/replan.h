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

  // Return the plan and its total size. Errors: those of Problem::Create and
  // Solve; ResourceExhausted if a search ends without a plan,
  // FailedPrecondition if there is none.
  absl::StatusOr<Solution> Plan(const Trace& trace) const;
  absl::StatusOr<size_t> Total(const Trace& trace) const;
};

// Returns the trace with the plan in its columns, which replaces any other
// plan. Requires a solution that has a plan.
Trace WithPlan(Trace trace, PlanKind kind, const Solution& solution);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_REPLAN_H_
