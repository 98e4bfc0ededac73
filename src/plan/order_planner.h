// SPDX-License-Identifier: Apache-2.0
// Solves a problem with a free order of its tasks (ProblemSpec::free_order),
// for Solve (planner.h). Chooses the order of the tasks together with the plan,
// so that the total is as small as possible.
//
// Finding the best order is NP-hard. The search has two stages:
// - A best-first search over sets of executed tasks finds an order with the
//   fewest bytes live at once. If the limits stop this search early, it finds
//   only a lower bound.
// - If the strategy searches, all orders with a bound below the best total are
//   then planned. If the same pairs of records conflict in several orders, only
//   one of these orders is planned.
//
// Small problems are therefore solved to optimality. For a large problem, the
// result is the best plan under several heuristic orders, with a bound that
// holds for all orders.
#ifndef STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
#define STOWAGE_SRC_PLAN_ORDER_PLANNER_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the best plan and its order. The bound and the status of the solution
// hold for all orders, and its conflict is empty. The time limit, the node
// budget and cancellation apply to the whole call. The plan does not depend on
// the number of threads. Errors: those of Solve.
StatusOr<Solution> SolveFreeOrder(const Problem& problem,
                                  const Strategy& strategy,
                                  const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_ORDER_PLANNER_H_
