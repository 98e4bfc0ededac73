// SPDX-License-Identifier: Apache-2.0
// Computes how much memory a plan needs to avoid the cost of one pair of
// records. Examines each pair that pays in a plan (plan_cost.h) separately. To
// see how the whole cost depends on the memory, use CostCurve (cost_curve.h).
#ifndef STOWAGE_EXPLAIN_FREE_PAIRS_H_
#define STOWAGE_EXPLAIN_FREE_PAIRS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/explain/plan_view.h"
#include "stowage/strategy.h"

namespace stowage::views {

// A pair that pays in the explained plan, and the total of a plan in which it
// does not pay.
struct FreedPair {
  ApartPreference pair;
  // The total of the smallest plan that was found in which the records of the
  // pair share no byte, and which costs less than the explained plan by at
  // least the cost of the pair. The second condition ensures that no other pair
  // pays instead. Nullopt if no such plan was found. If the total is at most
  // that of the explained plan, the explained plan can be improved.
  absl::optional<size_t> total_size;
  // True if it is proved that no plan with these two properties is smaller.
  bool is_least = false;
};

// Returns an entry for each of `pairs`, in the same order. Ignores the capacity
// of the problem. Calls SolveWithCostLimit (cost_curve.h) with `strategy` and
// `options` for each pair, so pass only a few pairs. Requires a view of a safe
// plan of a problem with costs, and pairs that pay in this plan
// (PlanView::paid). Errors: those of SolveWithCostLimit.
absl::StatusOr<std::vector<FreedPair>> FreePairs(
    const PlanView& view, absl::Span<const ApartPreference> pairs,
    const std::string& strategy, const SolveOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_FREE_PAIRS_H_
