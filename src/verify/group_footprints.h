// SPDX-License-Identifier: Apache-2.0
// Maps the footprints of records to separate axes, one for each group. Only the
// verifier uses these axes.
#ifndef STOWAGE_SRC_VERIFY_GROUP_FOOTPRINTS_H_
#define STOWAGE_SRC_VERIFY_GROUP_FOOTPRINTS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "src/verify/footprint.h"
#include "stowage/base/span.h"
#include "stowage/constraints.h"

namespace stowage {

// Projects footprints to axes of groups. The axis of a group has only the
// points of this group. On this axis, two records of the group have as many
// hits with each other as on the common axis of all records. Records of
// different groups have no hits with each other. The axes follow one after the
// other, so that one counter serves all groups in O(n log n).
class GroupFootprints {
 public:
  // Requires that `footprints` are those of `records`.
  GroupFootprints(const Constraints& constraints, Span<const size_t> records,
                  const Footprints& footprints);

  // Returns the length of all axes together.
  size_t length() const { return points_.size(); }
  // Returns whether other records are in the group of the item.
  bool HasOthers(size_t item) const {
    return !axes_.empty() && axes_[item].first < axes_[item].second;
  }
  // Maps `footprint` of the item from the common axis to the axis of its group.
  // O((points + ranges) * log points of the group).
  void Project(size_t item, const Footprint& footprint,
               Footprint* projected) const;

 private:
  // Adds the axis of the items of one group.
  void AddAxis(Span<const size_t> items, const Footprints& footprints);

  // Points on the common axis, which rise within a group.
  std::vector<size_t> points_;
  // For each item, the part of points_ that is the axis of its group.
  std::vector<std::pair<size_t, size_t>> axes_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_GROUP_FOOTPRINTS_H_
