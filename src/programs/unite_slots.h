// SPDX-License-Identifier: Apache-2.0
// Finds the slots of a program that may share one place. If two slots share a
// place, a copy between them can be omitted, or an output can be computed in
// place.
#ifndef STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_
#define STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {

// Two slots of the same size that may share one place.
struct Candidate {
  SlotId first = 0;
  SlotId second = 0;
  // The bytes that need not be copied if the slots share one place. `weight`
  // counts these bytes for a run in which every loop makes the expected number
  // of iterations, and `copied` counts them for one pass over all points. Both
  // are 0 for an output that is computed in place.
  uint64_t weight = 0;
  uint64_t copied = 0;
};

// Returns the candidates, sorted by falling weight and then by slots. A
// candidate consists of the two slots of a copy, or of an output and an input
// that the output may replace. The two slots have equal sizes and do not
// conflict. O(copies * writes of a slot * log runs).
std::vector<Candidate> FindCandidates(
    const ProgramPoints& points, const std::vector<std::vector<LiveRun>>& runs,
    uint64_t expected_turns);

// Unites the candidates, in order, wherever possible. Returns a class number
// for each slot; slots of the same class share one place. Two classes can be
// united if, for every slot `a` of one class and every slot `b` of the other,
// `a` and `b` either form a candidate or never need memory at the same point.
std::vector<SlotId> UniteSlots(const std::vector<std::vector<LiveRun>>& runs,
                               Span<const Candidate> candidates);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_
