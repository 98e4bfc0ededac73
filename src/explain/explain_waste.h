// SPDX-License-Identifier: Apache-2.0
// What a plan leaves free, task by task and band by band.
#ifndef STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_
#define STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_

#include <cstddef>
#include <vector>

#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// The band of every record; all 0 where there are none.
std::vector<size_t> BandsOf(const PlanView& view);

// `bands` is what BandsOf says. O(n log n).
PlanWaste WasteOf(const PlanView& view, const std::vector<size_t>& bands);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_EXPLAIN_WASTE_H_
