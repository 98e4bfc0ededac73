// SPDX-License-Identifier: Apache-2.0
// Turns a problem into packings, without what decides nothing: the input of
// Portfolio and RepairPortfolio.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_

#include <cstddef>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/packing.h"
#include "src/core/work_limit.h"
#include "stowage/problem.h"

namespace stowage::optimal {

// Returns the greatest common divisor of all sizes, of the alignments above 1
// and of the fixed offsets: all levels of a packing that is pushed down are
// multiples of it. 1 without bytes.
size_t UnitOf(const Problem& problem);

// Whether the levels of all packings that are made below fit a Level with room
// to spare.
bool FitsLevels(const Problem& problem, size_t unit);

// Returns one packing for each stretch of steps that records connect, in units;
// fixed records connect like others. A record without bytes is in none. Steps
// at which no item is live for the last time are left out, since all that is
// live at them is live at the next. Requires FitsLevels. Nothing if the signal
// is set before they are made. O(n log n).
absl::optional<std::vector<Packing>> Components(const Problem& problem,
                                                size_t unit,
                                                const StopSignal& stop);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_
