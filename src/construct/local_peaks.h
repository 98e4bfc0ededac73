// SPDX-License-Identifier: Apache-2.0
// Plans the records around every local peak of the breadth (the bytes that are
// live at a step), outwards from the peak. Use this method if the breadth is
// high at only a few places, or rises slowly to one peak. For one sweep over
// all records, use PeakSweep (peak_sweep.h).
//
// A plan is good enough if it has at most `enough` bytes. Where the breadth
// exceeds a certain share of this number, records must be packed tightly, and
// no order of all records places them well everywhere. The records that are
// live at such steps are therefore planned first. Records that are connected in
// time form a group, and each group is planned separately, by sweeps from its
// own peak. The remaining records have enough room, and best fit places them
// around the groups.
//
//   breadth        .-.                 .-.
//      |          /   \      enough   |   |
//      | - - - - / - - \ - - - - - - -|- -|- - share
//      |   .--._/ group \_.-.__.-.___/group\__
//      +--------------------------------------- step
//
// If the share is low, the groups are large and leave much room to the other
// records. If the share is high, few records must be placed without gaps. If
// all steps are about equally broad, there is one group, and the result is that
// of a sweep.
//
// Source: own.
#ifndef STOWAGE_SRC_CONSTRUCT_LOCAL_PEAKS_H_
#define STOWAGE_SRC_CONSTRUCT_LOCAL_PEAKS_H_

#include <cstddef>

#include "src/base/work_limit.h"
#include "src/construct/placing_order.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage {

// The limits of a plan around local peaks.
struct LocalPeaksEffort {
  // A plan of at most this number of bytes is good enough. A share is a
  // fraction of this number.
  size_t enough = 0;
  size_t limit = 0;   // the plan must end below this number of bytes
  size_t shares = 0;  // the maximum number of shares to try
  size_t sweeps = 0;  // the maximum number of orders to try for each group
};

// Makes plans with several shares, and returns the smallest plan if it ends
// below `effort.limit`. First tries all shares, from the lowest one up, and
// makes plans with the shares whose groups end at or below `effort.enough`.
// Then tries the lower shares again and lets the groups end higher, since a low
// share leaves much room to the other records. `rest` is the order in which
// best fit places the records that are in no group. `work` limits the cost of
// all plans together; a unit of work is a visit to one stretch. Returns nullopt
// for a problem with fixed offsets, which sweeps do not support. O(n log n + n
// k) for each share, with k as in PlaceBestFit.
optional<OffsetsAssignment> PlanAroundLocalPeaks(const Problem& problem,
                                                 const PlacingOrders& orders,
                                                 Span<const PlacingKey> rest,
                                                 const LocalPeaksEffort& effort,
                                                 const StopSignal& stop,
                                                 WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_LOCAL_PEAKS_H_
