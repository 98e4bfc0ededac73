// SPDX-License-Identifier: Apache-2.0
// Formats ratios for table cells of at most four columns.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_
#define STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/compare.h"

namespace stowage::cli {

// Formats by how much a ratio exceeds 1. The text takes at most `columns`
// columns, which must be 3 or 4, and the ratio must be at least 1. A small
// excess is shown in percent ("9.9", "<0.1"), a large one as the ratio itself
// ("×2.1", "×40", "×4e4", "×e12"). Returns "inf" for nullopt, which stands for
// the ratio to a bound of 0.
std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii);

// Returns the cell, of at most four columns, for one plan. `plans` are all
// plans of the same input. The cell is "=" if the plan is optimal and at the
// lower bound, "3.6=" if it is proved optimal above the bound, "3.6*" if it is
// the best of the plans and none of them is proved optimal, and "3.6"
// otherwise. If there is no plan, the cell is a dash.
std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_
