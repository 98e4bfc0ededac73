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

// Returns how much a ratio, which is at least 1, exceeds 1, in 3 or 4 columns.
// Smaller ratios are shown in percent ("9.9", "<0.1"), larger ones as the ratio
// itself ("×2.1", "×40", "×4e4", "×e12"). Returns "inf" for nullopt, which is
// the ratio to a bound of 0.
std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii);

// Returns at most four columns for one plan among the plans of its input: "="
// if it is optimal and at the lower bound, "3.6=" if it is proved optimal above
// the bound, "3.6*" if it is the best and none is proved optimal, "3.6" for any
// other plan and a dash if there is no plan.
std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_
