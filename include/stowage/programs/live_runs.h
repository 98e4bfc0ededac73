// SPDX-License-Identifier: Apache-2.0
// Says at which points of a program (points.h) each tensor needs its memory.
// For the operators of a model without calls, use PlanLifetimes
// (tflite/lifetimes.h), which needs no points.
#ifndef STOWAGE_PROGRAMS_LIVE_RUNS_H_
#define STOWAGE_PROGRAMS_LIVE_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/programs/points.h"

namespace stowage {

// Points [first, last], inclusive, at which a slot needs its memory.
struct LiveRun {
  uint32_t first = 0;
  uint32_t last = 0;
};

// Returns for each slot its runs, in rising order, with a gap between any two.
// A slot needs its memory at a point that reads or writes it, and at a point
// after which its value is still read on some path. A slot of 0 bytes has no
// runs. The algorithm is backward data flow: Aho et al., Compilers, second
// edition, section 9.2.5. O(points + slots * basic blocks in which they are
// live).
std::vector<std::vector<LiveRun>> LiveRuns(const ProgramPoints& points);

// Returns the pairs of slots that may never share a byte, unless both slots are
// one tensor. The lower slot of a pair comes first, and the pairs are in rising
// order. Two slots form such a pair if some point writes one slot while it
// reads or writes the other slot, or the other slot is live after the point,
// and the point does not copy the other slot to the written one. O(points *
// live slots).
std::vector<std::pair<SlotId, SlotId>> SlotConflicts(
    const ProgramPoints& points);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_LIVE_RUNS_H_
