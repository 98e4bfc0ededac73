// SPDX-License-Identifier: Apache-2.0
// Ratios in cells of four columns.
#ifndef STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_
#define STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/compare.h"

namespace stowage::cli {

// By how much a ratio of 1 or more is above 1, in 3 or 4 columns: percent below
// 2 ("9.9", "<0.1"), else the ratio itself ("×2.1", "×40", "×4e4", "×e12").
// "inf" of nothing, the ratio to a bound of 0.
std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii);

// At most four columns of a plan among those of its input: "=" at the lower
// bound and optimal, "3.6=" proved optimal above it, "3.6*" the best where none
// is proved optimal, a dash for no plan.
std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COMPARE_CELLS_H_
