// SPDX-License-Identifier: Apache-2.0
// Computes the bytes that a plan leaves free, by task and by band.
#ifndef STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_
#define STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_

#include <cstddef>
#include <vector>

#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// Returns the band of every record. If there are no bands, all entries are 0.
std::vector<size_t> BandsOf(const PlanView& view);

// Returns the bytes that the plan leaves free. Requires that `bands` is the
// result of BandsOf. O(n log n).
PlanWaste WasteOf(const PlanView& view, const std::vector<size_t>& bands);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_
