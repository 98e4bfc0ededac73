// SPDX-License-Identifier: Apache-2.0
// Maps the footprints of records from their common axis to one axis for each
// group. Only the verifier uses the axes of groups.
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
// points of its members, so records of different groups have no hits with each
// other. Members of one group have the same number of hits with each other as
// on the common axis of all records. The axes are laid end to end, so a single
// counter serves all groups in O(n log n).
class GroupFootprints {
 public:
  // Requires that `footprints` are the footprints of `records`.
  GroupFootprints(const Constraints& constraints, Span<const size_t> records,
                  const Footprints& footprints);

  // Returns the total length of all axes.
  size_t length() const { return points_.size(); }
  // Returns whether the group of the item contains other records.
  bool HasOthers(size_t item) const {
    return !axes_.empty() && axes_[item].first < axes_[item].second;
  }
  // Maps `footprint`, the footprint of the item on the common axis, to the axis
  // of the group of the item. O((points + ranges) * log points of the group).
  void Project(size_t item, const Footprint& footprint,
               Footprint* projected) const;

 private:
  // Adds the axis of the items of one group.
  void AddAxis(Span<const size_t> items, const Footprints& footprints);

  // The points of each group on the common axis, in rising order within a
  // group.
  std::vector<size_t> points_;
  // For each item, the part of points_ that forms the axis of its group.
  std::vector<std::pair<size_t, size_t>> axes_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_GROUP_FOOTPRINTS_H_
