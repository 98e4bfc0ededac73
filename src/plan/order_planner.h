// SPDX-License-Identifier: Apache-2.0
// Solves a problem whose tasks have a free order (ProblemSpec::free_order), for
// Solve (planner.h). The order of the tasks is chosen together with the plan,
// so that the total is as small as possible.
//
// Finding the best order is NP-hard. A best-first search over the sets of tasks
// that may have run finds the orders with the fewest bytes live at once. If the
// limits end this search, it finds only a lower bound. If the strategy
// searches, all orders whose bound is below the best total are then planned,
// and orders in which the same records conflict are planned only once. Small
// problems are therefore solved to the optimum. A large problem gets the best
// plan under several heuristic orders, with a bound that holds for all orders.
#ifndef STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
#define STOWAGE_SRC_PLAN_ORDER_PLANNER_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the best plan and its order. The bound and the status of the solution
// hold for all orders, and its conflict is empty. The time, the limits, the
// node budget and cancellation concern the whole call. The plan is the same for
// any number of threads. Errors: those of Solve.
StatusOr<Solution> SolveFreeOrder(const Problem& problem,
                                  const Strategy& strategy,
                                  const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
