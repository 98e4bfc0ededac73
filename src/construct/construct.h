// SPDX-License-Identifier: Apache-2.0
// Constructs plans in many ways and keeps the best, for `skyline` and as the
// incumbent of `optimal`. For a single way use PeakSweep (peak_sweep.h),
// PlanAroundLocalPeaks (local_peaks.h), DiveInSkyline (skyline_dive.h) or
// PlaceBestFit (best_fit.h).
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

// Returns a plan of all records on top of each other, above those with a fixed
// offset, with no gaps except padding. O(n).
OffsetsAssignment StackAll(const Problem& problem);

// The parameters of construction. They were measured and are the same for all
// strategies.
struct ConstructTuning {
  // The maximum number of orders of the stack at the peak to sweep.
  size_t sweeps = 4;
  // The maximum number of shares of the bound above which local peaks are swept
  // separately (local_peaks.h); 0 for none.
  size_t peak_shares = 10;
  // The maximum number of orders for bottom-left passes, which the code calls
  // dives.
  size_t dives = 7;
  // The maximum number of orders for best fit.
  size_t fits = 4;
  // The maximum number of checks of each record in a dive. Some orders check a
  // record a thousand times, and have never gained anything by it.
  uint64_t looks_per_record = 256;
  // A dive may cost so many checks in total, or few_looks for each record if
  // that is more; looks_per_record limits it in any case.
  uint64_t looks_per_dive = uint64_t{6} << 20;
  // The number of checks of each record that are worth their time for any
  // number of records.
  uint64_t few_looks = 32;
  // From this number of records on, dives come last.
  size_t many_records = size_t{1} << 17;
  // Up to this number of records the time of a construction is negligible, and
  // attempts that no thread has begun are still made, so that the plan is the
  // same every time. With more records local peaks come first.
  size_t few_records = 1024;
  // The number of stretches of bytes that best fit passes in the time of a
  // check. All checks of an effort together are the limit of one best fit.
  uint64_t stretches_per_look = 256;
};

// The limits of a construction.
struct ConstructEffort {
  // The number of checks of records in all dives together. Dives that come last
  // may get none.
  uint64_t looks = 0;
  const StopSignal* stop = nullptr;  // not owned; may be null
  size_t threads = 1;
  ConstructTuning tuning;
  // Called with every smaller plan and with what found it (Solution::found_by),
  // on the thread that constructs; may be null.
  std::function<void(std::string found_by)> improved;
};

// Replaces `best` by smaller plans until one has `enough` bytes or fewer or
// everything has been tried: sweeps from the peak and from local peaks,
// bottom-left passes over the skyline, and best fit in several orders, among
// them those of GREEDY_BY_SIZE, GREEDY_BY_BREADTH and ARENA_BEST_FIT. Sweeps do
// not support fixed records, and are left out if there are any. Unless it is
// stopped, the plan is the same for any number of threads if there is no
// deadline, and for few records also with one. O(n) memory for each thread.
void Construct(const Problem& problem, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_H_
