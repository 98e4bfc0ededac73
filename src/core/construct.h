// The constructive planners, one after the other.
#ifndef STOWAGE_CORE_CONSTRUCT_H_
#define STOWAGE_CORE_CONSTRUCT_H_

#include <cstddef>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {

// All records on top of each other: no gap is longer than a padding. O(n).
OffsetsAssignment StackAll(absl::Span<const ByteRecord> records,
                           const Alignments& alignments);

// Replaces `best` by smaller plans, of sweeps from the peak (peak_sweep.h) and
// dives in the skyline (skyline_dive.h) in several orders, until one has
// `enough` bytes or less, all have been tried, or `work` ends. Sizes and
// paddings must fit 64 bits in sum. O(n) memory.
void Construct(absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
               const Alignments& alignments, size_t enough, WorkLimit* work,
               OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_CORE_CONSTRUCT_H_
