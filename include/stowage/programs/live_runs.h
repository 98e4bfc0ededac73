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

// Returns for each slot the runs of points at which it needs its memory, in
// rising order. Two runs of a slot never touch. A slot needs its memory at each
// point that reads or writes the slot, and at each point after which the value
// of the slot is still read on some path. A slot of 0 bytes has no runs. The
// algorithm is backward data flow: Aho et al., Compilers, second edition,
// section 9.2.5. O(points + slots * basic blocks in which a slot is live).
std::vector<std::vector<LiveRun>> LiveRuns(const ProgramPoints& points);

// Returns the pairs of slots that conflict and must therefore not lie in one
// place. The lower slot of a pair comes first, and the pairs are in rising
// order. Two slots conflict if some point writes one of them while the other
// slot is needed. The other slot is needed if the point reads or writes it, or
// if it is live after the point. There are two exceptions. A point that copies
// the other slot to the written slot causes no conflict. If a point may compute
// the written slot in place of the other slot, the read of the other slot by
// this point does not count. O(points * live slots).
std::vector<std::pair<SlotId, SlotId>> SlotConflicts(
    const ProgramPoints& points);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_LIVE_RUNS_H_
