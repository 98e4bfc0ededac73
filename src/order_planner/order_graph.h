// SPDX-License-Identifier: Apache-2.0
// A free order as arrays: what precedes what, and who uses which records. For
// the searches over orders, which ask for both all the time.
#ifndef STOWAGE_SRC_ORDER_PLANNER_ORDER_GRAPH_H_
#define STOWAGE_SRC_ORDER_PLANNER_ORDER_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/work_limit.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// Lists of numbers, in one allocation.
class NumberLists {
 public:
  // List x of `lists` has `y` for every pair (x, y), rising and each once.
  struct Pair {
    uint32_t x;
    uint32_t y;
  };
  NumberLists() = default;
  NumberLists(size_t lists, std::vector<Pair> pairs);

  size_t size() const { return begins_.size() - 1; }
  absl::Span<const uint32_t> operator[](size_t list) const {
    return absl::MakeConstSpan(numbers_).subspan(
        begins_[list], begins_[list + 1] - begins_[list]);
  }

 private:
  std::vector<size_t> begins_ = {0};
  std::vector<uint32_t> numbers_;
};

struct OrderGraph {
  size_t tasks = 0;
  NumberLists before;   // by task
  NumberLists after;    // by task
  NumberLists records;  // that each task uses
  NumberLists users;    // of each record
  // Bytes by record whose sum over what is live at a task no plan is below:
  // records that may share bytes with others have 0, all but one.
  std::vector<size_t> weights;

  // The same with all edges reversed. A reversed order of one is an order of
  // the other, with the same bytes live at each task.
  OrderGraph Reversed() const;
};

// Requires a FreeOrder that passes CheckFreeOrder for the records of `spec`.
// O(m log m) for m edges, users and constraints.
OrderGraph MakeOrderGraph(const ProblemSpec& spec, const FreeOrder& free_order);

// The most bytes that are live at a task. O(tasks + users).
size_t PeakOf(const OrderGraph& graph, absl::Span<const TaskId> order);

// Bytes that are live at some task under every order: at a task, the records
// that it uses and those with users on both sides. O(records * (tasks +
// edges)), but after a limit of work, or once the signal is set, only what
// tasks use.
size_t BytesOfAnyOrder(const OrderGraph& graph, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_ORDER_PLANNER_ORDER_GRAPH_H_
