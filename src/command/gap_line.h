// SPDX-License-Identifier: Apache-2.0
// Draws the gap of a running search as one line. The bound rises from the left
// and the plan falls from the right.
//
//   bound 191102976 [>>        <<<<<<<<<<] 209977344 plan +9.88 %
//
// The ends of the bar stand for the first bound and the first plan. The blanks
// in the middle stand for the gap, on a logarithmic scale, so that a user sees
// the gap close. For programs use ProgressLines (progress_lines.h).
#ifndef STOWAGE_SRC_COMMAND_GAP_LINE_H_
#define STOWAGE_SRC_COMMAND_GAP_LINE_H_

#include <string>

#include "stowage/strategy.h"

namespace stowage::cli {

// Returns the line. `first` must be the first progress that the search
// reported, and `now` the latest. From `first` to `now`, the total must not
// rise and the bound must not fall.
std::string GapLine(const SearchProgress& first, const SearchProgress& now);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_GAP_LINE_H_
