// SPDX-License-Identifier: Apache-2.0
// Draws the gap of a running search as one line. The bound rises from the left
// and the plan falls from the right.
//
//   bound 191102976 [>>        <<<<<<<<<<] 209977344 plan +9.88 %
//
// The ends of the bar represent the first bound and the first plan. The blanks
// in the middle represent the gap on a logarithmic scale, so that a user sees
// the gap close. For programs, use ProgressLines (progress_lines.h).
#ifndef STOWAGE_SRC_COMMAND_GAP_LINE_H_
#define STOWAGE_SRC_COMMAND_GAP_LINE_H_

#include <string>

#include "stowage/strategy.h"

namespace stowage::cli {

// Returns the line. `first` is the first progress that the search reported, and
// `now` the latest. Requires that the total of `now` is not above that of
// `first`, and that its bound is not below that of `first`.
std::string GapLine(const SearchProgress& first, const SearchProgress& now);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_GAP_LINE_H_
