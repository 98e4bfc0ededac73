// SPDX-License-Identifier: Apache-2.0
// Places records by a bottom-left pass: the next record is always the one that
// can be placed lowest. To place records in a given order, use PlaceBestFit
// (best_fit.h).
//
// The placed records form a skyline over the steps, and the next record is
// placed on the greatest height of the skyline in its interval. Heights never
// decrease, so an offset that was computed earlier for a record is a lower
// bound of its current offset. The next record is taken from a heap of these
// bounds. If the bound of that record is too low, the record goes back into the
// heap with its current offset.
//
//   skyline     ######
//           ####  ^   ####    the record [==] that fits in the valley at ^
//           step 0 ...   n    comes before any that reaches the edges
//
// Records with a fixed offset are not part of the skyline. A record that would
// overlap a fixed record is placed at the lowest free place above the fixed
// record, and the bytes below the fixed record remain free for other records.
//
// Source: own; the rule is that of Burke, Kendall and Whitwell, "A new
// placement heuristic for the orthogonal stock-cutting problem" (2004), for
// records with a given place in time.
#ifndef STOWAGE_SRC_CONSTRUCT_BOTTOM_LEFT_PASS_H_
#define STOWAGE_SRC_CONSTRUCT_BOTTOM_LEFT_PASS_H_

#include <cstddef>
#include <cstdint>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a plan that ends below `limit`, or nullopt if the pass ends higher or
// if `work` is exhausted first. Requires that `order` lists every record once.
// If two records can be placed equally low, the one that is earlier in `order`
// is placed first. A unit of work is one check of a record, or of a fixed
// record that is in its way. O(n log n) time for short lifetimes without fixed
// records; n checks of each record in the worst case. O(n) memory.
optional<OffsetsAssignment> PlaceBottomLeft(const Problem& problem,
                                            Span<const uint32_t> order,
                                            size_t limit, WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_BOTTOM_LEFT_PASS_H_
