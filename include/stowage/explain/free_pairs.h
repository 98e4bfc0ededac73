// SPDX-License-Identifier: Apache-2.0
// Says what each pair that pays in a plan (plan_cost.h) is worth in memory: the
// total at which a plan exists that saves the cost of the pair. To see what
// memory is worth as a whole, use CostCurve (cost_curve.h).
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

// A pair that pays, and the total of a plan in which the pair does not pay.
struct FreedPair {
  ApartPreference pair;
  // The total of the smallest plan that was found in which the records of the
  // pair share no byte, and which costs less than the explained plan by at
  // least the cost of the pair. The payment is thus saved, and no other pair
  // pays it instead. Without a value if no such plan was found. If the total is
  // not above that of the explained plan, the explained plan can be improved.
  absl::optional<size_t> total_size;
  // True if it is proved that no such plan is smaller.
  bool is_least = false;
};

// Returns for each of these pairs the total that frees this pair alone, in the
// order of the pairs. The capacity of the problem is ignored. Each pair takes a
// call of SolveWithCostLimit (cost_curve.h) by this strategy with these
// options, so pass only few pairs. Requires a view of a safe plan of a problem
// with costs, and pairs that pay in this plan (PlanView::paid). Errors: those
// of SolveWithCostLimit.
absl::StatusOr<std::vector<FreedPair>> FreePairs(
    const PlanView& view, absl::Span<const ApartPreference> pairs,
    const std::string& strategy, const SolveOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_FREE_PAIRS_H_
