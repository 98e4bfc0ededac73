// SPDX-License-Identifier: Apache-2.0
// Plans tasks whose order is free: the order in which the tasks run is chosen
// together with the plan, so that the total is smallest.
//
// If the order is given, use Solve (planner.h).
//
//   absl::StatusOr<OrderedSolution> found =
//       SolveFreeOrder(spec, free_order, "optimal");
//   if (!found.ok()) return found.status();
//   Run(found->order, found->solution.offsets());
//
// Finding the best order is NP-hard. A best-first search over the sets of tasks
// that may have run finds the orders with the fewest bytes live, or a lower
// bound if it has to end early. With a strategy that searches, all orders whose
// bound is below the best total are then planned; orders in which the same
// records conflict are planned once. Small problems are therefore solved to the
// optimum, and large ones get the best of several heuristic orders with an
// honest bound.
#ifndef STOWAGE_ORDER_PLANNER_H_
#define STOWAGE_ORDER_PLANNER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {

// An order, the problem under it (a task is its position in the order) and the
// plan of that problem. Bound, status and time of the solution are those of all
// orders; its conflict is empty. Without a plan, `order` is one of those tried.
struct OrderedSolution {
  std::vector<TaskId> order;
  Problem problem;
  Solution solution;
};

// Chooses an order and a plan. The intervals of `spec.records` are ignored.
// Limits, the node budget and cancellation (SolveOptions) are those of the
// whole call. The plan is the same for any number of threads. Errors: those of
// CheckFreeOrder, Problem::Create and Solve; Unimplemented, naming the feature,
// for what cannot be combined with a free order: shared objects, pools,
// preferences, streams, reallocation graphs and holes that exist only during
// some tasks.
absl::StatusOr<OrderedSolution> SolveFreeOrder(
    const ProblemSpec& spec, const FreeOrder& free_order,
    absl::string_view strategy, const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_ORDER_PLANNER_H_
