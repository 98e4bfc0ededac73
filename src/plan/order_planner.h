// SPDX-License-Identifier: Apache-2.0
// Solves a problem whose tasks have a free order (ProblemSpec::free_order), for
// Solve (planner.h): the order in which the tasks run is chosen together with
// the plan, so that the total is smallest.
//
// Finding the best order is NP-hard. A best-first search over the sets of tasks
// that may have run finds the orders with the fewest bytes live, or a lower
// bound if it has to end early. With a strategy that searches, all orders whose
// bound is below the best total are then planned; orders in which the same
// records conflict are planned once. Small problems are therefore solved to the
// optimum, and large ones get the best of several heuristic orders with an
// honest bound.
#ifndef STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
#define STOWAGE_SRC_PLAN_ORDER_PLANNER_H_

#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Chooses an order and a plan. Bound, status and time of the solution are those
// of all orders; its conflict is empty. The limits, the node budget and
// cancellation are those of the whole call. The plan is the same for any number
// of threads. Errors: those of Solve.
absl::StatusOr<Solution> SolveFreeOrder(const Problem& problem,
                                        const Strategy& strategy,
                                        const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
