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

// The orders that a search may evaluate, and a function that ends it early.
struct OrderBudget {
  uint64_t orders = 0;
  std::function<bool()> go_on;  // is not empty

  // Takes one order, and returns whether there was one left.
  bool Take() {
    if (orders == 0 || !go_on()) return false;
    --orders;
    return true;
  }
};

struct FoundOrder {
  std::vector<size_t> order;
  OrderScore score;
  bool is_best = false;  // no order is better, but for the excess
};

// Returns the best of the orders of plans for some values.
FoundOrder BestCandidate(const DynamicProblem& problem,
                         Span<const ComparedValue> compared, DynamicAim aim);

// Improves an order by moving one record at a time: one of those on which the
// worst height rests, to a place below or above a record that it conflicts
// with. Where no move is better, some records are moved at random.
void ImproveOrder(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

// Tries all orders that differ in the sequence of records that conflict, except
// those whose first records are worse than the best order already. Sets
// `is_best` if it comes to its end. For a dozen records at most.
void TryAllOrders(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_SEARCH_ORDERS_H_
