// Places records from the bottom up: always the one that can lie lowest.
//
// What is placed forms a skyline over the steps, and a record lies on the
// highest edge in its interval. Edges only rise, so the offset computed for a
// record when it was looked at last is a lower bound of its offset now. A heap
// of these bounds gives the next record; one whose bound was too low goes back
// with the new one.
//
//   skyline     ######
//           ####  ^   ####    the record [==] that fits in the valley at ^
//           step 0 ...   n    comes before any that reaches the edges
//
// Source: own; the rule is that of Burke, Kendall and Whitwell, "A new
// placement heuristic for the orthogonal stock-cutting problem" (2004), with
// the time fixed.
#ifndef STOWAGE_CORE_SKYLINE_DIVE_H_
#define STOWAGE_CORE_SKYLINE_DIVE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {

// A plan that ends below `limit`; nothing if that is not what comes out, or if
// `work` ends before. `order` has every record once; of two that can lie
// equally low, the earlier comes first. Sizes and paddings must fit 64 bits in
// sum. A unit of work is one look at a record. O(n log n) time for records that
// live through few steps; n looks at each record at worst. O(n) memory.
absl::optional<OffsetsAssignment> DiveInSkyline(
    absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
    absl::Span<const uint32_t> order, const Alignments& alignments,
    size_t limit, WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_CORE_SKYLINE_DIVE_H_
