// SPDX-License-Identifier: Apache-2.0
// Turns a problem into packings, which are the input of Portfolio and
// RepairPortfolio. Omits records and steps that have no effect on the result.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_COMPONENTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_COMPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::optimal {

// Returns the greatest common divisor of all sizes, of the alignments above 1
// and of the fixed offsets, or 1 if no record has bytes. If all items of a
// packing are pushed down, all their offsets are multiples of this divisor.
size_t UnitOf(const Problem& problem);

// Returns whether all offsets in the packings made by Components fit a Level,
// with room to spare.
bool FitsLevels(const Problem& problem, size_t unit);

// Divides the records into packings, with levels in units of `unit` bytes.
// Records that share a step are in the same packing, so a packing contains,
// with each record, all records that are connected to it by a chain of shared
// steps, including fixed records. Records without bytes are in no packing.
// Omits steps that are not the last step of any item, since all items that are
// live at such a step are also live at the next step. Returns nullopt if the
// signal is set before the packings are finished. Requires FitsLevels. O(n log
// n).
optional<std::vector<Packing>> Components(const Problem& problem, size_t unit,
                                          const StopSignal& stop);

// Returns a single packing of all `records`, in the same order and in units of
// `unit` bytes. Requires that every record has bytes, and FitsLevels. O(n).
Packing PackingOf(const Problem& problem, size_t unit,
                  Span<const uint32_t> records);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_COMPONENTS_H_
