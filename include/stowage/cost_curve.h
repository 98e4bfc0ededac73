// SPDX-License-Identifier: Apache-2.0
// Trades memory for cost in a problem with preferences (constraints.h): shows
// how much more memory a lower cost requires, and how much less memory a higher
// cost permits.
//
// Solve (planner.h) finds the lowest cost within a capacity. Use
// SolveWithCostLimit to find the smallest plan within a cost limit, and
// CostCurve to find the lowest cost for each of several capacities:
//
//   StatusOr<std::vector<CostPoint>> curve = CostCurve(problem, "optimal", 10);
//   if (!curve.ok()) return curve.status();
//   for (const CostPoint& point : *curve) {
//     std::cout << point.capacity << " bytes: cost " << point.solution.cost
//               << ", at least " << point.solution.cost_bound << "\n";
//   }
//
// Both functions solve many problems. The limits of SolveOptions apply to the
// whole call: each problem gets a share of the time and the nodes that are
// left. Progress is not reported, because each report would concern only one of
// these problems. SolveOptions::decide and SolveOptions::incumbent are ignored.
//
// If there are several pools, their capacities rise together. The lowest
// capacity of a pool is the number of bytes that the smallest plan uses in this
// pool. The highest capacity is the number of bytes that the plan of lowest
// cost uses in it. In each problem that is solved, the capacities of all pools
// are at the same fraction of the way from the lowest to the highest capacity.
// The costs of pools are part of the cost.
//
// Errors of both functions: InvalidArgument for a problem without preferences;
// those of Solve.
#ifndef STOWAGE_COST_CURVE_H_
#define STOWAGE_COST_CURVE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the smallest plan that was found with a cost of at most `limit`,
// within the capacity of the problem. The plan is kOptimal if no plan within
// the cost limit is smaller. Solution::lower_bound holds for all plans within
// the cost limit.
//
// If no such plan was found, the result is kInfeasible if the cost bound is
// above the limit or the problem has no plan at all, and kTimeLimit otherwise.
//
// The function first tries the smallest plan of all, and then the plan of
// lowest cost. It then bisects the capacities between the totals of these two
// plans, which works because a plan for one capacity is also a plan for a
// larger one. At most 66 problems are solved.
//
// With several pools, the bisection is over the fraction that the capacities of
// all pools share (see the top of this file). A plan that uses less of one pool
// and more of another may be smaller, so the result is rarely proved to be the
// smallest plan.
StatusOr<Solution> SolveWithCostLimit(const Problem& problem,
                                      string_view strategy, uint64_t limit,
                                      const SolveOptions& options = {});

// A point of a cost curve.
struct CostPoint {
  size_t capacity = 0;             // is in bytes, of all pools together
  std::vector<size_t> capacities;  // for each pool; one entry without pools
  // The plan with the lowest cost that was found within this capacity; among
  // plans of this cost, the smallest that was found. `cost_bound` holds for
  // every plan within this capacity.
  Solution solution;
};

// Returns points of the curve, for rising capacities. The first capacity is the
// smallest total that was found for any plan, regardless of its cost. The last
// capacity is the total of the cheapest plan that was found without a capacity,
// because more memory would not lower the cost any further. The capacity of the
// problem itself is ignored. The distances of the capacities from the first one
// are proportional to the squares 0, 1, 4, 9 and so on, so the points are
// closest together at the lowest capacities, where a byte matters most. There
// are fewer than `count` points if there are fewer different capacities.
//
// Neither the cost nor the cost bound rises from one point to the next: the
// plan of a point is the incumbent of the next one, and a bound for a capacity
// is also a bound for a smaller one. If the problem has no plan, or if no plan
// was found, returns one point with a solution without a plan, capacity 0, and
// empty `capacities`.
//
// Error: InvalidArgument if `count` is not in [2, 10000]. At most `count` + 2
// problems are solved.
StatusOr<std::vector<CostPoint>> CostCurve(const Problem& problem,
                                           string_view strategy, size_t count,
                                           const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_COST_CURVE_H_
