// SPDX-License-Identifier: Apache-2.0
// Searches for an order that is good at all values that are compared.
#ifndef STOWAGE_SRC_DYNAMIC_SEARCH_ORDERS_H_
#define STOWAGE_SRC_DYNAMIC_SEARCH_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/dynamic/compared_values.h"
#include "src/dynamic/order_score.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"

namespace stowage {

// Limits a search: the number of orders that it may evaluate, and a function
// that ends it early.
struct OrderBudget {
  uint64_t orders = 0;
  std::function<bool()> go_on;  // is not empty

  // Takes one order from the budget. Returns false if none is left, or if go_on
  // ends the search.
  bool Take() {
    if (orders == 0 || !go_on()) return false;
    --orders;
    return true;
  }
};

struct FoundOrder {
  std::vector<size_t> order;
  OrderScore score;
  bool is_best = false;  // no order is better, apart from the excess
};

// Returns the best of several candidate orders. Each candidate is the order in
// which a plan for certain sizes stacks the records. Most of these plans are
// those in `compared`.
FoundOrder BestCandidate(const DynamicProblem& problem,
                         Span<const ComparedValue> compared, DynamicAim aim);

// Improves an order by moving one record at a time. The record is one of those
// that support the worst height, and moves below or above a record that
// conflicts with it. If no move makes the order better, some records are moved
// at random.
void ImproveOrder(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

// Tries all orders. If two neighbours of an order do not conflict, exchanging
// them changes nothing, so only one of the two orders is tried. Gives up an
// order as soon as its first records show that it is no better than the best
// order. Sets `is_best` if no order is left to try. The function is meant for
// at most a dozen records.
void TryAllOrders(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_SEARCH_ORDERS_H_
