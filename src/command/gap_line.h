// SPDX-License-Identifier: Apache-2.0
// The gap of a search that runs, as one line: the bound comes from the left,
// the plan from the right.
//
//   bound 191102976 [>>        <<<<<<<<<<] 209977344 plan +9.88 %
//
// What was found first is at the ends, so that the gap is seen to close; it is
// drawn by its logarithm. For programs there are ProgressLines
// (progress_lines.h).
#ifndef STOWAGE_SRC_COMMAND_GAP_LINE_H_
#define STOWAGE_SRC_COMMAND_GAP_LINE_H_

#include <string>

#include "stowage/strategy.h"

namespace stowage::cli {

// `first` and `now` are what a search reported first and last: totals never
// rise, and bounds never fall.
std::string GapLine(const SearchProgress& first, const SearchProgress& now);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_GAP_LINE_H_
