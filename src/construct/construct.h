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
// records, without gaps other than padding. Records of 0 bytes are at offset 0
// unless they are fixed. O(n).
OffsetsAssignment StackAll(const Problem& problem);

// The parameters of the construction. Their values are based on measurements
// and are the same for all strategies.
struct ConstructTuning {
  // The maximum number of sweeps (stack_orders.h). Each sweep stacks the
  // records at the peak in a different order.
  size_t sweeps = 4;
  // The maximum number of shares (fractions of `enough`) to try. For each
  // share, the local peaks above it are swept separately (local_peaks.h). If 0,
  // local peaks are not swept.
  size_t peak_shares = 10;
  // The maximum number of orders for bottom-left passes.
  size_t passes = 7;
  // The maximum number of orders for best fit.
  size_t fits = 4;
  // The maximum number of checks per record in a bottom-left pass. Some orders
  // would check a record a thousand times, but passes with more checks than
  // this have never found a better plan.
  uint64_t checks_per_record = 256;
  // The maximum number of checks in a bottom-left pass. With few records,
  // `checks_per_record` reduces this maximum; with many records, `few_checks`
  // raises it.
  uint64_t checks_per_pass = uint64_t{6} << 20;
  // The number of checks per record that a bottom-left pass may always make,
  // even with many records. A pass is worth its time if this number is enough
  // for it.
  uint64_t few_checks = 32;
  // The minimum number of records for which bottom-left passes come last.
  size_t many_records = size_t{1} << 17;
  // The maximum number of records for which the time of a construction is
  // negligible. Up to this number, the plan is always the same, even with a
  // deadline: after an attempt was good enough, the attempts before it in the
  // order are still made. With more records, local peaks come first.
  size_t few_records = 1024;
  // The number of stretches that best fit visits in the time of one check. This
  // number times ConstructEffort::checks is the limit of each best fit, so one
  // best fit may take as long as all bottom-left passes together.
  uint64_t stretches_per_check = 256;
};

// The limits of a construction.
struct ConstructEffort {
  // The number of checks of records in all bottom-left passes together. No
  // checks may remain for the last passes. If 0, only sweeps from the peak are
  // made.
  uint64_t checks = 0;
  const StopSignal* stop = nullptr;  // is not owned, and may be null
  size_t threads = 1;
  ConstructTuning tuning;
  // Called after one or more smaller plans were found, on the thread that
  // called Construct. `found_by` is the text for Solution::found_by of the
  // smallest of these plans. May be null.
  std::function<void(std::string found_by)> improved;
};

// Replaces `best` by smaller plans until a plan has at most `enough` bytes or
// all attempts have been made. The attempts are sweeps from the peak and from
// local peaks, bottom-left passes over the skyline, and best fit in several
// orders, including the orders of GREEDY_BY_SIZE, GREEDY_BY_BREADTH and
// ARENA_BEST_FIT. Sweeps do not support fixed records, and are left out if
// there are any. O(n) memory for each thread.
//
// If there is no deadline, or if there are at most `few_records` records, a
// construction that is not stopped makes the same plan with any number of
// threads.
void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_H_
