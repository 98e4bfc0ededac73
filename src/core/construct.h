// SPDX-License-Identifier: Apache-2.0
// Constructs plans in many ways and keeps the best: for `skyline`, and as the
// incumbent of `optimal`. A single way is PeakSweep (peak_sweep.h),
// PlanAroundLocalPeaks (local_peaks.h), DiveInSkyline (skyline_dive.h) or
// PlaceBestFit (best_fit.h).
#ifndef STOWAGE_CORE_CONSTRUCT_H_
#define STOWAGE_CORE_CONSTRUCT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Returns all records on top of each other, above those with a fixed offset: no
// gap is longer than a padding. O(n).
OffsetsAssignment StackAll(const Problem& problem);

// How plans are constructed: measured, and the same for all strategies.
struct ConstructTuning {
  // Orders of the stack at the peak that are swept, of those that there are.
  size_t sweeps = 4;
  // Shares of the bound above which local peaks are swept on their own, of
  // those that there are (local_peaks.h); 0 for none.
  size_t peak_shares = 10;
  // Orders that are dived in, of those that there are.
  size_t dives = 7;
  // Orders that best fit places in, of those that there are.
  size_t fits = 4;
  // Looks at each record that a dive may cost. Some orders look a thousand
  // times at a record, and have never gained anything by it.
  uint64_t looks_per_record = 256;
  // Looks that a dive may cost for any number of records, if no more than
  // few_looks at each.
  uint64_t looks_per_dive = uint64_t{6} << 20;
  // Looks at each record that are worth their time for any number of records.
  uint64_t few_looks = 32;
  // Records from which on dives come last.
  size_t many_records = size_t{1} << 17;
  // Up to so many records a construction takes no time to speak of, and what
  // threads have not begun is made for the sake of the same plan every time.
  // From there on local peaks come first.
  size_t few_records = 1024;
  // Stretches of bytes that best fit passes in the time of a look. All looks of
  // an effort together are what one best fit may cost.
  uint64_t stretches_per_look = 256;
};

// What construction may cost.
struct ConstructEffort {
  // Looks at records in all dives. Those that come last go without.
  uint64_t looks = 0;
  const StopSignal* stop = nullptr;  // not owned; null for none
  size_t threads = 1;
  ConstructTuning tuning;
  // Called with every smaller plan, by the thread that constructs, and with
  // what found it (Solution::found_by); may be null.
  std::function<void(std::string found_by)> improved;
};

// Replaces `best` by smaller plans, of sweeps from the peak and from
// local peaks, dives in the skyline and best fit in several orders, those of
// GREEDY_BY_SIZE, GREEDY_BY_BREADTH and ARENA_BEST_FIT among them, until one
// has `enough` bytes or less or all have been tried. Sweeps know no fixed
// records, and are left out where there are any. Unless it is stopped, the plan
// is the same for any number of threads: without a deadline, and of few records
// with one. O(n) memory for each thread.
void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_CORE_CONSTRUCT_H_
