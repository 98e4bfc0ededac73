// SPDX-License-Identifier: Apache-2.0
// Plans records outwards from the task at which the most bytes are live. To
// sweep from every local peak, use PlanAroundLocalPeaks (local_peaks.h).
//
// The tensors that are live at the peak are stacked first, without gaps, so
// that the peak itself needs only as many bytes as its breadth. From there, one
// sweep proceeds to later tasks like an allocator: it uses best fit, and joins
// free stretches that touch. Another sweep proceeds to earlier tasks, as if
// time ran backwards. The gaps grow with the distance from the peak, but the
// breadth decreases as well.
//
//   offset        stack of the peak
//      |   [==][======|=====]    [==]
//      |  [===========|===] [=======]
//      | [==] [=======|========][==]
//      +--------------+-------------- step
//           <- sweep  |  sweep ->
//
// Source: own, from chronological best fit.
#ifndef STOWAGE_SRC_CONSTRUCT_PEAK_SWEEP_H_
#define STOWAGE_SRC_CONSTRUCT_PEAK_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {

class PeakSweep {
 public:
  // `peak` is the step at which to begin. The records, and the list of
  // alignments if there is one, must outlive the object. Once the signal is
  // set, Plan returns nullopt. O(n log n).
  PeakSweep(Span<const ByteRecord> records, const IntervalRanks& ranks,
            const Alignments& alignments, uint32_t peak,
            const StopSignal& stop = StopSignal());

  // Returns the records that are live at the peak, by index.
  const std::vector<uint32_t>& live() const { return live_; }

  // Returns a plan that ends below `limit`. `stack` has the records of live()
  // in any order; the plan stacks them in this order, from offset 0 up. Returns
  // nullopt if the plan would end higher, or if `work` is exhausted first. A
  // unit of work is the placement of one record. O(n log n) time, O(n) memory.
  optional<OffsetsAssignment> Plan(Span<const uint32_t> stack, size_t limit,
                                   WorkLimit* work) const;

 private:
  struct Side {
    // The intervals of all records, with steps numbered in the order in which
    // the sweep visits them. For the sweep to earlier tasks, time is reversed.
    std::vector<StepInterval> intervals;
    std::vector<uint32_t> by_begin;  // the records that begin beyond the peak
    // The records of by_begin, and the records that are live at the peak.
    std::vector<uint32_t> by_end;
  };

  Side MakeSide(std::vector<StepInterval> intervals, uint32_t peak,
                const StopSignal& stop);
  bool Sweep(const Side& side, Span<const uint32_t> stack, size_t limit,
             WorkLimit* work, OffsetsAssignment* plan) const;

  Span<const ByteRecord> records_;
  Alignments alignments_;
  std::vector<uint32_t> live_;
  Side later_;
  Side earlier_;
  bool is_complete_ = true;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_PEAK_SWEEP_H_
