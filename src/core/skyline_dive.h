// SPDX-License-Identifier: Apache-2.0
// Places records from the bottom up: always the one that can lie lowest. To
// place them in an order that is given, use PlaceBestFit (best_fit.h).
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
// Records with a fixed offset are not part of the skyline: a record that would
// overlap one lies above it, on the lowest place that is free, and what is
// below stays free for others.
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
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a plan that ends below `limit`; nothing if that is not what comes
// out, or if `work` ends before. `order` has every record once; of two that can
// lie equally low, the earlier comes first. A unit of work is one look at a
// record, or at a fixed one that is in its way. O(n log n) time for short
// lifetimes without fixed records; n looks at each record at worst. O(n)
// memory.
absl::optional<OffsetsAssignment> DiveInSkyline(
    const Problem& problem, absl::Span<const uint32_t> order, size_t limit,
    WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_CORE_SKYLINE_DIVE_H_
