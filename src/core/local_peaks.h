// SPDX-License-Identifier: Apache-2.0
// Plans outwards from every local peak: where most bytes are in use here and
// there only, and where the breadth rises to one peak slowly. For one sweep
// over all records use PeakSweep (peak_sweep.h).
//
// Where the breadth exceeds a share of what is enough, records must lie close
// together, and no order of all records places them well everywhere. So records
// that are live at such steps are planned first, each group of them that
// records connect on its own, by sweeps from its own peak. What is left has
// room to spare: best fit places it around them.
//
//   breadth        .-.                 .-.
//      |          /   \      enough   |   |
//      | - - - - / - - \ - - - - - - -|- -|- - share
//      |   .--._/ group \_.-.__.-.___/group\__
//      +--------------------------------------- step
//
// The lower the share, the larger are the groups, and the more room is left to
// the others; the higher, the fewer records must lie without gaps. Where all
// steps are about as broad there is one group, and nothing that a sweep does
// not find.
//
// Source: own.
#ifndef STOWAGE_CORE_LOCAL_PEAKS_H_
#define STOWAGE_CORE_LOCAL_PEAKS_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/placing_order.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// What a plan around local peaks may cost.
struct LocalPeaksEffort {
  size_t enough = 0;  // bytes that need no improvement; shares are of these
  size_t limit = 0;   // a plan must end below
  size_t shares = 0;  // tried at most, of those that there are
  size_t sweeps = 0;  // of each group, of the orders that there are
};

// Returns the smallest plan of several shares that ends below the limit, if
// there is one: first of shares whose groups end at what is enough, from the
// lowest, then of others that leave much room. `rest` is the order, of all
// records, in which best fit places those that are in no group; `work` is what
// it may cost all together, and its units are stretches passed. Nothing with
// fixed offsets, since sweeps know none. O(n log n + n k) for each share, as
// PlaceBestFit.
absl::optional<OffsetsAssignment> PlanAroundLocalPeaks(
    const Problem& problem, const PlacingOrders& orders,
    absl::Span<const PlacingKey> rest, const LocalPeaksEffort& effort,
    const StopSignal& stop, WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_CORE_LOCAL_PEAKS_H_
