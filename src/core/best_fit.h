// Places records one by one in an arena, each into the tightest gap.
//
// Among the records placed already that conflict with the new one, in order of
// offset, the gap that leaves the least room is chosen, the lowest on ties;
// without a gap that is large enough the record goes on top of them.
//
// Source: Pisarchyk and Lee 2020, section 5.2; Sekiyama et al., "Profile-guided
// memory optimization for deep neural networks" (2018).
#ifndef STOWAGE_CORE_BEST_FIT_H_
#define STOWAGE_CORE_BEST_FIT_H_

#include <cstddef>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {

// Places all records in the given order. Sizes and paddings must fit 64 bits
// in sum. O((n + c) log n) time for c pairs of records that conflict, and never
// more than O(n^2); O(n) memory.
OffsetsAssignment PlaceBestFit(absl::Span<const ByteRecord> records,
                               const IntervalRanks& ranks,
                               absl::Span<const size_t> order,
                               const Alignments& alignments);

}  // namespace stowage

#endif  // STOWAGE_CORE_BEST_FIT_H_
