// SPDX-License-Identifier: Apache-2.0
// Computes the points of a program (points.h) at which each tensor needs its
// memory. For the operators of a model without calls, use PlanLifetimes
// (tflite/lifetimes.h), which needs no points.
#ifndef STOWAGE_PROGRAMS_LIVE_RUNS_H_
#define STOWAGE_PROGRAMS_LIVE_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/programs/points.h"

namespace stowage {

// A run of points at which a slot needs its memory. Both ends are inclusive.
struct LiveRun {
  uint32_t first = 0;
  uint32_t last = 0;
};

// Returns, for each slot, the runs of points at which the slot needs its
// memory, in rising order. Two runs of a slot never touch. A slot needs its
// memory at each point that reads or writes the slot, and at each point after
// which some path still reads the value of the slot. A slot of 0 bytes has no
// runs. The algorithm is backward data-flow analysis: Aho et al., Compilers,
// second edition, section 9.2.5. O(points + slots * basic blocks in which a
// slot is live).
std::vector<std::vector<LiveRun>> LiveRuns(const ProgramPoints& points);

// Returns the pairs of slots that conflict and must therefore not share one
// place. In each pair, the lower slot comes first; the pairs are in rising
// order.
//
// Slots `a` and `b` conflict if some point writes `a` while `b` is needed: the
// point reads or writes `b`, or `b` is live after the point. There are two
// exceptions. A point that copies `b` to `a` causes no conflict. If a point may
// compute `a` in place of `b`, the read of `b` by this point does not count.
// O(points * live slots).
std::vector<std::pair<SlotId, SlotId>> SlotConflicts(
    const ProgramPoints& points);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_LIVE_RUNS_H_
