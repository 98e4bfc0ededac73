// SPDX-License-Identifier: Apache-2.0
// Computes the bytes that each point of a program reads and writes under a
// plan, and checks whether the point may do so. The results do not depend on
// values or paths.
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

// A slot that a point writes. The slot has at least one byte.
struct SlotWrite {
  SlotId slot = 0;
  SlotBytes bytes;
  // The slot from which the written slot receives its value; nullopt for a new
  // value.
  optional<SlotId> source;
  // True if the point copies the value. A point orders its copies so that no
  // copy overwrites a value that a later copy reads.
  bool is_copy = false;
  // True if the slot has the same place as its source, so nothing has to be
  // written.
  bool is_in_place = false;
};

// Maps the slots that points use to bytes under a plan. All arguments must
// outlive the object.
class PlacedPoints {
 public:
  PlacedPoints(const ProgramPoints& points,
               Span<const optional<size_t>> offsets,
               Span<const SlotPart> parts);

  const std::vector<Point>& points() const { return points_.points; }
  bool HasBytes(SlotId slot) const { return points_.slot_sizes[slot] != 0; }
  // Returns the bytes of a slot, or nullopt if the slot has no offset or if its
  // end overflows.
  optional<SlotBytes> BytesOf(SlotId slot) const;

  // Returns a slot with bytes that the point uses but that has no place.
  optional<SlotId> FindUnplaced(uint32_t point) const;

  // Returns the slots that a point reads, in rising order, without slots of 0
  // bytes.
  std::vector<SlotId> ReadsOf(uint32_t point) const;
  // Returns the slots that a point writes, in rising order, without slots of 0
  // bytes. Requires that the returned slots and their sources have places.
  std::vector<SlotWrite> WritesOf(uint32_t point) const;

  // Returns the first byte at which a point overwrites a slot that it reads,
  // unless the overlap is allowed. O(n log n), where n is the number of slots
  // that the point uses.
  optional<ValueFault> FindOverlap(uint32_t point,
                                   const std::vector<SlotId>& reads,
                                   const std::vector<SlotWrite>& writes) const;

 private:
  bool IsPart(uint32_t point, SlotId part, SlotId whole, size_t at) const;
  // Returns whether the bytes `read` are within a part of the slot of `write`.
  // The part must be in `reads`, and must be at its proper position within that
  // slot. The point leaves such a part unchanged, and any other slot in the
  // same bytes has the same contents as the part.
  bool LiesOnPart(uint32_t point, const std::vector<SlotId>& reads,
                  SlotBytes read, const SlotWrite& write) const;

  const ProgramPoints& points_;
  const Span<const optional<size_t>> offsets_;
  std::vector<SlotPart> parts_;  // sorted
};

// Calls visit(i, j, byte) for each pair of overlapping ranges left[i] and
// right[j], where `byte` is their first common byte. Visits the pairs in rising
// order of `byte`, until `visit` returns false. Requires nonempty ranges. O(n
// log n + pairs).
void VisitOverlaps(Span<const SlotBytes> left, Span<const SlotBytes> right,
                   const std::function<bool(size_t, size_t, size_t)>& visit);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_POINT_WRITES_H_
