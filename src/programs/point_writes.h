// SPDX-License-Identifier: Apache-2.0
// Says which bytes each point of a program reads and writes under a plan, and
// whether the point may do so. The answers do not depend on values or paths.
#ifndef STOWAGE_SRC_PROGRAMS_POINT_WRITES_H_
#define STOWAGE_SRC_PROGRAMS_POINT_WRITES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/programs/value_state.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/programs/points.h"
#include "stowage/verify_values.h"

namespace stowage {

// Describes a slot that a point writes. The slot has at least one byte.
struct SlotWrite {
  SlotId slot = 0;
  SlotBytes bytes;
  // The slot whose value is taken over; nullopt for a new value.
  optional<SlotId> source;
  // True if the point copies the value. A point makes its copies in such an
  // order that no copy destroys a value which a later copy reads.
  bool is_copy = false;
  // True if the slot lies in the place of its source, so that nothing is
  // written.
  bool is_in_place = false;
};

// Finds slots and their bytes under a plan. All arguments must outlive the
// object.
class PlacedPoints {
 public:
  PlacedPoints(const ProgramPoints& points,
               Span<const optional<size_t>> offsets,
               Span<const SlotPart> parts);

  const std::vector<Point>& points() const { return points_.points; }
  bool HasBytes(SlotId slot) const { return points_.slot_sizes[slot] != 0; }
  // Returns nullopt if the slot has no offset, or if its end overflows.
  optional<SlotBytes> BytesOf(SlotId slot) const;

  // Returns a slot that the point uses and that has bytes, but no place.
  optional<SlotId> FindUnplaced(uint32_t point) const;

  // Returns the slots that a point reads, in rising order. Slots of 0 bytes are
  // left out.
  std::vector<SlotId> ReadsOf(uint32_t point) const;
  // Returns the slots that a point writes, in rising order. Slots of 0 bytes
  // are left out. The returned slots, and their sources, must have places.
  std::vector<SlotWrite> WritesOf(uint32_t point) const;

  // Returns the first byte at which a point writes over a slot that it reads,
  // unless the overlap is allowed. O(n log n) for n slots of the point.
  optional<ValueFault> FindOverlap(uint32_t point,
                                   const std::vector<SlotId>& reads,
                                   const std::vector<SlotWrite>& writes) const;

 private:
  bool IsPart(uint32_t point, SlotId part, SlotId whole, size_t at) const;
  // Returns whether the bytes `read` lie in a part of the slot of `write`. The
  // part must be in `reads`, and must lie in its place within that slot. The
  // point leaves such a part unchanged, and another slot that lies there holds
  // the same bytes as the part.
  bool LiesOnPart(uint32_t point, const std::vector<SlotId>& reads,
                  SlotBytes read, const SlotWrite& write) const;

  const ProgramPoints& points_;
  const Span<const optional<size_t>> offsets_;
  std::vector<SlotPart> parts_;  // sorted
};

// Calls visit(i, j, byte) for each pair of ranges left[i] and right[j] that
// overlap, where `byte` is their first common byte. Visits the pairs in rising
// order of this byte, until visit returns false. Ranges must not be empty.
// O(n log n + pairs).
void VisitOverlaps(Span<const SlotBytes> left, Span<const SlotBytes> right,
                   const std::function<bool(size_t, size_t, size_t)>& visit);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_POINT_WRITES_H_
