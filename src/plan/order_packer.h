// SPDX-License-Identifier: Apache-2.0
// Plans one problem under several orders, one after another, and keeps the best
// plan. order_planner.cc selects the orders.
#ifndef STOWAGE_SRC_PLAN_ORDER_PACKER_H_
#define STOWAGE_SRC_PLAN_ORDER_PACKER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/model/watch.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

class OrderPacker {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Requires a problem with a free order. The arguments must outlive the
  // packer. The plans of all orders share the limits of `options`.
  OrderPacker(const Problem& problem, const Strategy& strategy,
              const SolveOptions& options);

  // Plans the problem under `order`. Uses half of the remaining limits, or all
  // of them if `is_last`. If the strategy searches, it looks only for totals
  // below the best total. Returns whether it is proved that no plan under this
  // order is smaller than the best plan known after the call. Errors: those of
  // Problem::Create and Solve.
  StatusOr<bool> Pack(Span<const TaskId> order, bool is_last);

  // Returns the number of bytes below which the total of a useful plan must be:
  // the best total, or the capacity plus one byte. Returns kNone if there is
  // neither a plan nor a capacity.
  size_t Most() const;
  bool has_plan() const { return best_ && best_->has_plan(); }
  // Returns the best plan, or the result for the first order if there is no
  // plan. Requires that Pack has been called successfully.
  Solution& best() { return *best_; }
  // Returns a lower bound for the orders that were packed so far: every plan
  // under these orders has at least as many bytes as the smaller of this bound
  // and the best total.
  size_t unproved_bound() const { return unproved_bound_; }
  // Returns the number of search nodes of all plans, including those added by
  // CountNodes.
  uint64_t nodes() const { return nodes_; }
  void CountNodes(uint64_t nodes) { nodes_ += nodes; }
  // Returns the number of nodes that remain of the budget, or the largest
  // number if there is no budget.
  uint64_t NodesLeft() const;
  int64_t elapsed_ns() const;

 private:
  SolveOptions OptionsOfNext(bool is_last);

  const ProblemSpec spec_;  // the problem without its free order
  const FreeOrder& free_order_;
  const Strategy& strategy_;
  const SolveOptions& options_;
  WithoutProgress without_progress_;
  const std::chrono::steady_clock::time_point begin_;
  optional<Solution> best_;
  size_t unproved_bound_ = kNone;
  uint64_t nodes_ = 0;
};

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_PACKER_H_
