// SPDX-License-Identifier: Apache-2.0
// Plans for tasks whose order is free: the order in which the tasks run is
// chosen with the plan, for the least total.
//
// Where the order is given, use Solve (planner.h) alone.
//
//   absl::StatusOr<OrderedSolution> found =
//       SolveFreeOrder(spec, free_order, "optimal");
//   if (!found.ok()) return found.status();
//   Run(found->order, found->solution.offsets());
//
// The best order alone is NP-hard to find. A best-first search over the sets of
// tasks that may have run finds the orders with the fewest bytes live, and a
// lower bound if it has to end early; with a strategy that searches, all orders
// whose bound is below the best total are then planned, those that make the
// same records conflict once. So small problems are solved to the optimum, and
// large ones get the best of several heuristic orders with an honest bound.
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
// plan of that. Bound, status and time of the solution are of all orders; its
// conflict is empty. Without a plan, `order` is one that was tried.
struct OrderedSolution {
  std::vector<TaskId> order;
  Problem problem;
  Solution solution;
};

// The intervals of `spec.records` are not looked at. Limits, the node budget
// and cancellation (SolveOptions) are of the whole call; the plan is the same
// for any number of threads. Errors: those of CheckFreeOrder, Problem::Create
// and Solve; Unimplemented, naming it, for what does not go with a free order:
// shared objects, pools, preferences, streams, reallocation graphs and holes
// that are only there for some tasks.
absl::StatusOr<OrderedSolution> SolveFreeOrder(
    const ProblemSpec& spec, const FreeOrder& free_order,
    absl::string_view strategy, const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_ORDER_PLANNER_H_
