// SPDX-License-Identifier: Apache-2.0
// Compares two solutions of similar problems, in order to keep the better one.
#ifndef STOWAGE_SRC_PLAN_IS_BETTER_H_
#define STOWAGE_SRC_PLAN_IS_BETTER_H_

#include <tuple>

#include "stowage/solution.h"

namespace stowage {

// Returns whether solution `a` is better than solution `b`: either only `a` has
// a plan, or the plan of `a` has a lower cost, or the same cost and fewer
// bytes. If both are kOverCapacity, the solution that exceeds the capacity by
// less is better.
inline bool IsBetter(const Solution& a, const Solution& b) {
  if (a.has_plan() != b.has_plan()) return a.has_plan();
  const bool has_totals =
      a.has_plan() || (a.status == SolutionStatus::kOverCapacity &&
                       b.status == SolutionStatus::kOverCapacity);
  return has_totals &&
         std::tie(a.cost, a.total_size) < std::tie(b.cost, b.total_size);
}

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_IS_BETTER_H_
