// SPDX-License-Identifier: Apache-2.0
#include "src/programs/slot_uses.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/programs/points.h"

namespace stowage {

SlotUses::SlotUses(const ProgramPoints& points) {
  std::vector<size_t> counts(points.slot_sizes.size(), 0);
  for (const Point& point : points.points) {
    for (const SlotId slot : point.reads) ++counts[slot];
    for (const SlotId slot : point.writes) ++counts[slot];
  }
  size_t total = 0;
  for (const size_t count : counts) {
    begins_.push_back(total);
    total += count;
  }
  ends_ = begins_;
  uses_.resize(total);
  for (uint32_t p = 0; p < points.points.size(); ++p) {
    const auto use = [&](SlotId slot) -> SlotUse& {
      size_t& end = ends_[slot];
      if (end == begins_[slot] || uses_[end - 1].point != p) {
        uses_[end++].point = p;
      }
      return uses_[end - 1];
    };
    for (const SlotId slot : points.points[p].reads) use(slot).is_read = true;
    for (const SlotId slot : points.points[p].writes) use(slot).is_write = true;
  }
}

}  // namespace stowage
