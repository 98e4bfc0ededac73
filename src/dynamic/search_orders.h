// SPDX-License-Identifier: Apache-2.0
// Searches for an order that is good at all compared values.
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

// Limits a search: the number of orders that it may still evaluate, and a
// function that may stop it early.
struct OrderBudget {
  uint64_t orders = 0;
  std::function<bool()> go_on;  // is not empty

  // Takes one order from the budget. Returns false if no order is left, or if
  // `go_on` returns false.
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

// Returns the best of several candidate orders. Each candidate is the stacking
// order of a plan for certain sizes; most of these plans are in `compared`.
FoundOrder BestCandidate(const DynamicProblem& problem,
                         Span<const ComparedValue> compared, DynamicAim aim);

// Improves an order by moving one record at a time. Only records in the support
// chain of the worst height are moved, each below or above a record with which
// it conflicts. If no move improves the order, some records are moved at
// random.
void ImproveOrder(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

// Tries all orders; intended for at most a dozen records. Exchanging two
// adjacent records that do not conflict changes nothing, so only one of the two
// orders is tried. An order is abandoned as soon as its first records show that
// it cannot be better than the best order found. Sets `is_best` if every order
// was tried or ruled out.
void TryAllOrders(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_SEARCH_ORDERS_H_
