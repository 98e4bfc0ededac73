// Records as packings: without what decides nothing.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "optimal/packing.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage::optimal {

// The greatest common divisor of all sizes and of the alignments above 1: all
// levels of a packing that is pushed down are multiples of it. 1 without bytes.
size_t UnitOf(absl::Span<const ByteRecord> records,
              const Alignments& alignments);

// One packing for each stretch of steps that records connect, in units. A
// record without bytes is in none. Steps at which no item lives for the last
// time are left out, since all that is alive at them is alive at the next.
// Sizes and paddings must fit kMaxLevel in sum. O(n log n).
std::vector<Packing> Components(absl::Span<const ByteRecord> records,
                                const IntervalRanks& ranks,
                                const Alignments& alignments, size_t unit);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_COMPONENTS_H_
