// SPDX-License-Identifier: Apache-2.0
// Finds the slots of a program that may lie in one place, so that a copy
// between them can be left out or an output be computed in place.
#ifndef STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_
#define STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {

// Two slots of the same size that may lie in one place.
struct Candidate {
  SlotId first = 0;
  SlotId second = 0;
  // The bytes that need not be copied then in a run in which each loop makes
  // the expected turns, and in one pass over all points. 0 for an output that
  // is computed in place.
  uint64_t weight = 0;
  uint64_t copied = 0;
};

// Returns the candidates by falling weight, then by slots: the pairs of a copy
// of a point, or of an output and an input that it may replace, that have equal
// sizes and do not conflict. O(copies * writes of a slot * log runs).
std::vector<Candidate> FindCandidates(
    const ProgramPoints& points, const std::vector<std::vector<LiveRun>>& runs,
    uint64_t expected_turns);

// Returns for each slot the number of the class of slots with which it lies in
// one place, if the candidates are united in their order as far as possible.
// Two sets of slots can be united if each pair of them is a candidate, or never
// needs memory at the same point.
std::vector<SlotId> UniteSlots(const std::vector<std::vector<LiveRun>>& runs,
                               Span<const Candidate> candidates);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_UNITE_SLOTS_H_
