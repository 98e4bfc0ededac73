// SPDX-License-Identifier: Apache-2.0
// Lists the points that use each slot of a program.
#ifndef STOWAGE_SRC_PROGRAMS_SLOT_USES_H_
#define STOWAGE_SRC_PROGRAMS_SLOT_USES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/programs/points.h"

namespace stowage {

struct SlotUse {
  uint32_t point = 0;
  bool is_read = false;
  bool is_write = false;
};

class SlotUses {
 public:
  // O(points and their slots).
  explicit SlotUses(const ProgramPoints& points);

  // Returns the uses of a slot, one for each point, in rising order.
  Span<const SlotUse> Of(SlotId slot) const {
    return Span<const SlotUse>(uses_).subspan(begins_[slot],
                                              ends_[slot] - begins_[slot]);
  }

 private:
  std::vector<SlotUse> uses_;
  std::vector<size_t> begins_;  // by slot
  std::vector<size_t> ends_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_SLOT_USES_H_
