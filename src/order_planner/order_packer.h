// SPDX-License-Identifier: Apache-2.0
// Plans of one problem under one order after the other, of which the best is
// kept. Which orders are worth a plan is up to order_planner.cc.
#ifndef STOWAGE_SRC_ORDER_PLANNER_ORDER_PACKER_H_
#define STOWAGE_SRC_ORDER_PLANNER_ORDER_PACKER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/free_order.h"
#include "stowage/order_planner.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

class OrderPacker {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // All of them outlive the packer. `options` has the limits of all plans.
  OrderPacker(const ProblemSpec& spec, const FreeOrder& free_order,
              const Strategy& strategy, const SolveOptions& options);

  // Plans the problem under an order: in half of what is left of the limits, or
  // all of it. A strategy that searches looks for totals below the best alone.
  // Returns whether no plan under this order is below the best afterwards, as
  // far as is proved. Errors: those of Problem::Create and Solve.
  absl::StatusOr<bool> Pack(absl::Span<const TaskId> order, bool is_last);

  // What plans must be below to be of use: the best total, or the capacity and
  // a byte; kNone if there is neither.
  size_t Most() const;
  bool has_plan() const { return best_ && best_->solution.has_plan(); }
  // The best plan, or what is known of the first order if there is none.
  // Requires a successful call of Pack.
  OrderedSolution& best() { return *best_; }
  // No plan under an order that was packed is below both this and the best.
  size_t unproved_bound() const { return unproved_bound_; }
  // Search nodes of all plans, and whatever else was counted.
  uint64_t nodes() const { return nodes_; }
  void CountNodes(uint64_t nodes) { nodes_ += nodes; }
  // Nodes of the budget that are left; the greatest number without a budget.
  uint64_t NodesLeft() const;
  absl::Duration elapsed() const;

 private:
  SolveOptions OptionsOfNext(bool is_last) const;

  const ProblemSpec& spec_;
  const FreeOrder& free_order_;
  const Strategy& strategy_;
  const SolveOptions& options_;
  const std::chrono::steady_clock::time_point begin_;
  absl::optional<OrderedSolution> best_;
  size_t unproved_bound_ = kNone;
  uint64_t nodes_ = 0;
};

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_ORDER_PLANNER_ORDER_PACKER_H_
