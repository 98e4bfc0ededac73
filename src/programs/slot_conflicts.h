// SPDX-License-Identifier: Apache-2.0
// Answers whether two slots of a program may ever share a byte.
#ifndef STOWAGE_SRC_PROGRAMS_SLOT_CONFLICTS_H_
#define STOWAGE_SRC_PROGRAMS_SLOT_CONFLICTS_H_

#include <cstdint>
#include <vector>

#include "src/programs/slot_uses.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"

namespace stowage {

class SlotConflictFinder {
 public:
  // `runs` must be the live runs of `points`. Both must outlive this object.
  SlotConflictFinder(const ProgramPoints& points,
                     const std::vector<std::vector<LiveRun>>& runs)
      : points_(points), runs_(runs), uses_(points) {}

  // Returns whether the slots must not become one tensor (SlotConflicts).
  // O(writes log runs).
  bool Conflict(SlotId a, SlotId b) const {
    return OverwritesAny(a, b) || OverwritesAny(b, a);
  }
  // Returns whether the slot is read at the point, or written there, or live
  // after it.
  bool IsUsedOrLiveAfter(SlotId slot, uint32_t point) const;
  // Returns whether the value that the slot has after the point is still read.
  bool IsLiveAfter(SlotId slot, uint32_t point) const;

 private:
  // Returns whether `written` is written while `other` is needed.
  bool OverwritesAny(SlotId written, SlotId other) const;

  const ProgramPoints& points_;
  const std::vector<std::vector<LiveRun>>& runs_;
  const SlotUses uses_;
};

// Returns whether the point gives `destination` the bytes of `source`: by a
// copy, or by an operator whose output is a view.
bool CopiesTo(const Point& point, SlotId destination, SlotId source);

// Returns whether an operator may compute `output` in place of `input`, so that
// only uses of `input` after the point matter.
bool ComputesInPlace(const Point& point, SlotId output, SlotId input);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_SLOT_CONFLICTS_H_
