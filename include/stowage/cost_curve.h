// SPDX-License-Identifier: Apache-2.0
// Trades memory for cost in a problem with preferences (constraints.h): how
// much a lower cost takes, and how much less memory a higher cost allows.
//
// Solve (planner.h) finds the least cost within a capacity. Use
// SolveWithCostLimit if the cost is given and the memory is to be small, and
// CostCurve to see the least cost for several capacities:
//
//   StatusOr<std::vector<CostPoint>> curve = CostCurve(problem, "optimal", 10);
//   if (!curve.ok()) return curve.status();
//   for (const CostPoint& point : *curve) {
//     std::cout << point.capacity << " bytes: cost " << point.solution.cost
//               << ", at least " << point.solution.cost_bound << "\n";
//   }
//
// Both solve many problems. The limits of SolveOptions are those of the whole
// call: each problem has its share of what the problems before it have left.
// Progress is not reported, since it would be that of single problems.
// SolveOptions::decide and SolveOptions::incumbent are ignored.
//
// Several pools have capacities of their own, which rise together: each is the
// same share of the way from what the smallest plan uses of its pool to what
// the plan of the least cost uses. The costs of pools are part of the cost.
//
// Errors of both: InvalidArgument for a problem without preferences; those of
// Solve.
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

// Returns the smallest plan that was found among those that cost `limit` at
// most and are within the capacity of the problem. It is kOptimal if no plan
// that costs so little is smaller, and Solution::lower_bound holds for all
// plans that cost so little.
//
// Without such a plan, the result is kInfeasible if the cost bound is above the
// limit or the problem has no plan at all, and kTimeLimit otherwise.
//
// The smallest plan of all is tried first, then the one of the least cost, and
// then capacities between the totals of these two, by bisection: a plan for one
// capacity is also a plan for a larger one. At most 66 problems are solved.
//
// With several pools, the bisection is over the share of all of them that the
// banner names. A plan that uses less of one pool and more of another may then
// be smaller, so that the plan is seldom proved to be the smallest.
StatusOr<Solution> SolveWithCostLimit(const Problem& problem,
                                      string_view strategy, uint64_t limit,
                                      const SolveOptions& options = {});

// A point of a cost curve.
struct CostPoint {
  size_t capacity = 0;             // is in bytes, of all pools together
  std::vector<size_t> capacities;  // one for each pool, or one without pools
  // The plan of the least cost that was found within this capacity. Among plans
  // of this cost, it is the smallest that was found. `cost_bound` holds for
  // every plan within this capacity.
  Solution solution;
};

// Returns points of the curve, for rising capacities. The first capacity is the
// least total that was found for any plan, whatever it costs. The last one is
// the total of the plan of the least cost that was found without a capacity;
// more memory is of no use. The capacity of the problem itself is ignored. The
// capacities in between are closer to each other at the beginning, where a byte
// is worth most: their distances from the first one are those of the squares 0,
// 1, 4, 9 and so on. There are fewer than `count` points if there are fewer
// different capacities.
//
// Neither the cost nor the cost bound rises from one point to the next: the
// plan of a point is the incumbent of the next one, and a bound for a capacity
// is also a bound for a smaller one. If the problem has no plan, or none was
// found, returns one point with the solution that says so, the capacity 0 and
// no `capacities`.
//
// Error: InvalidArgument if `count` is not from 2 to 10,000. At most `count` +
// 2 problems are solved.
StatusOr<std::vector<CostPoint>> CostCurve(const Problem& problem,
                                           string_view strategy, size_t count,
                                           const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_COST_CURVE_H_
