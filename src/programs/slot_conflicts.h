// SPDX-License-Identifier: Apache-2.0
// Determines whether two slots of a program may ever share a byte.
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
  // `runs` must be the live runs of `points`. Both arguments must outlive this
  // object.
  SlotConflictFinder(const ProgramPoints& points,
                     const std::vector<std::vector<LiveRun>>& runs)
      : points_(points), runs_(runs), uses_(points) {}

  // Returns whether the two slots must not be merged into one tensor
  // (SlotConflicts). O(writes log runs).
  bool Conflict(SlotId a, SlotId b) const {
    return OverwritesAny(a, b) || OverwritesAny(b, a);
  }
  // Returns whether the slot is read at the point, is written at the point, or
  // is live after the point.
  bool IsUsedOrLiveAfter(SlotId slot, uint32_t point) const;
  // Returns whether the value of the slot after the point is read later.
  bool IsLiveAfter(SlotId slot, uint32_t point) const;

 private:
  // Returns whether `written` is written at some point at which `other` is
  // needed.
  bool OverwritesAny(SlotId written, SlotId other) const;

  const ProgramPoints& points_;
  const std::vector<std::vector<LiveRun>>& runs_;
  const SlotUses uses_;
};

// Returns whether `destination` receives the bytes of `source` at the point,
// either by a copy or because an operator has a view as its output.
bool CopiesTo(const Point& point, SlotId destination, SlotId source);

// Returns whether the operator at the point may compute `output` in place of
// `input`. If it may, only uses of `input` after the point matter.
bool ComputesInPlace(const Point& point, SlotId output, SlotId input);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_SLOT_CONFLICTS_H_
