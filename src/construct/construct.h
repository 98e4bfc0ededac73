// SPDX-License-Identifier: Apache-2.0
// Constructs plans in many ways and keeps the best one. The strategy `skyline`
// returns this plan, and `optimal` uses it as its incumbent. For a single way,
// use PeakSweep (peak_sweep.h), PlanAroundLocalPeaks (local_peaks.h),
// PlaceBottomLeft (bottom_left_pass.h) or PlaceBestFit (best_fit.h).
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a plan that stacks the records on top of each other, above the fixed
// records, with no gaps except padding. Records of 0 bytes lie at offset 0
// unless they are fixed. O(n).
OffsetsAssignment StackAll(const Problem& problem);

// The parameters of construction. Their values come from measurements, and are
// the same for all strategies.
struct ConstructTuning {
  // The maximum number of sweeps (stack_orders.h). Each sweep stacks the
  // records at the peak in a different order.
  size_t sweeps = 4;
  // The maximum number of shares (fractions of `enough`) to try. For each
  // share, the local peaks above it are swept separately (local_peaks.h). If
  // this number is 0, local peaks are not swept.
  size_t peak_shares = 10;
  // The maximum number of orders for bottom-left passes.
  size_t passes = 7;
  // The maximum number of orders for best fit.
  size_t fits = 4;
  // The maximum number of checks in a bottom-left pass, per record. Some orders
  // check a record a thousand times, but passes with more checks than this have
  // never found a better plan.
  uint64_t checks_per_record = 256;
  // The maximum number of checks in a bottom-left pass. With few records,
  // checks_per_record reduces this maximum; with many records, few_checks
  // raises it.
  uint64_t checks_per_pass = uint64_t{6} << 20;
  // A bottom-left pass may always make this number of checks per record,
  // however many records there are. A pass with only this many checks is worth
  // its time.
  uint64_t few_checks = 32;
  // From this number of records on, bottom-left passes come last.
  size_t many_records = size_t{1} << 17;
  // The number of records up to which the time of a construction is negligible.
  // With at most this number of records, the plan is the same every time, even
  // under a deadline: after an attempt was good enough, the attempts before it
  // in the order are still made. With more records, local peaks come first.
  size_t few_records = 1024;
  // The number of stretches that best fit visits in the time of one check. This
  // number times ConstructEffort::checks limits each best fit, so that one best
  // fit may take as long as all bottom-left passes together.
  uint64_t stretches_per_check = 256;
};

// The limits of a construction.
struct ConstructEffort {
  // The number of checks of records in all bottom-left passes together. The
  // passes that come last may be left without checks. If the number is 0, only
  // sweeps from the peak are made.
  uint64_t checks = 0;
  const StopSignal* stop = nullptr;  // is not owned, and may be null
  size_t threads = 1;
  ConstructTuning tuning;
  // This function is called after one or more smaller plans were found, on the
  // thread that called Construct. `found_by` is the text for Solution::found_by
  // of the smallest of these plans. The function may be null.
  std::function<void(std::string found_by)> improved;
};

// Replaces `best` by smaller plans, until a plan has at most `enough` bytes or
// all attempts have been made. The attempts are sweeps from the peak and from
// local peaks, bottom-left passes over the skyline, and best fit in several
// orders, among them the orders of GREEDY_BY_SIZE, GREEDY_BY_BREADTH and
// ARENA_BEST_FIT. Sweeps do not support fixed records, and are left out if
// there are any. O(n) memory for each thread.
//
// A construction that is not stopped makes the same plan with any number of
// threads if it has no deadline or at most `few_records` records.
void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_H_
