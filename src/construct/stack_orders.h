// SPDX-License-Identifier: Apache-2.0
// Makes several sweeps from a peak and keeps the best plan. Each sweep stacks
// the records at the peak in a different order. To sweep with a given stack,
// use PeakSweep (peak_sweep.h).
#ifndef STOWAGE_SRC_CONSTRUCT_STACK_ORDERS_H_
#define STOWAGE_SRC_CONSTRUCT_STACK_ORDERS_H_

#include <cstddef>
#include <functional>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/placing_order.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {

// Sweeps from the broadest step, and replaces `best` by each smaller plan that
// a sweep makes. Tries the first `count` of four orders of the stack, until a
// plan has at most `enough` bytes. Calls improved(order) after each
// improvement; `improved` may be null. Requires that `orders` are the orders of
// these records. Stops once the signal is set. O(count n log n).
void SweepInOrders(Span<const ByteRecord> records, const IntervalRanks& ranks,
                   const Alignments& alignments, const PlacingOrders& orders,
                   size_t count, size_t enough, const StopSignal& stop,
                   const std::function<void(Span<const PlacingKey>)>& improved,
                   OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_STACK_ORDERS_H_
