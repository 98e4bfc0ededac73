// SPDX-License-Identifier: Apache-2.0
// Checks a plan by the values that lie in memory, whatever shares memory in it
// and whoever made it: views, results in place, branches, loops. A plan whose
// conflicting records never share a byte needs only verify.h.
//
//   optional<ValueFault> fault = FindValueFault(points, offsets);
//   if (fault) Print(DescribeValueFault(program, points, *fault));
//
// Memory is a map from ranges of bytes to values. A write puts a new value on
// the bytes of a slot; a copy or a view puts the value of its source there. A
// read requires that every byte of the slot still holds the slot's value. Where
// paths join, a byte that holds a slot's value on one path only does not hold
// it. Loops are followed until nothing changes.
//
// The answer is exact for the paths through the points: there is a fault if and
// only if some path, with any number of turns of each loop, has one.
#ifndef STOWAGE_VERIFY_VALUES_H_
#define STOWAGE_VERIFY_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"

namespace stowage {

// The first fault on a path.
struct ValueFault {
  enum class Kind {
    kOverwritten,  // a slot is read, and a byte of it holds something else
    kInPlace,      // a point writes over a slot that it reads, and may not
    kTwoResults,   // two results of one point lie on the same byte
    // A slot that is used has no offset, or its end is above 2^64 - 1.
    kNoOffset,
  };
  Kind kind = Kind::kOverwritten;
  size_t point = 0;  // the point that reads, or writes
  SlotId slot = 0;   // the slot that is damaged
  size_t byte = 0;   // the first such byte, as an offset in the arena
  // The point and the slot that wrote the byte last. If that depends on the
  // path, a writer of another slot is preferred. nullopt if none wrote it, or
  // if several such writers are possible.
  optional<size_t> writer = nullopt;
  optional<SlotId> writer_slot = nullopt;
  SlotId other = 0;  // for kInPlace and kTwoResults: the slot that overwrites
};

// A slot that may lie inside another one at a point which reads one of the two
// and writes the other, as an input of a concatenation inside the output. The
// point then does not copy it.
struct SlotPart {
  size_t point = 0;
  SlotId part = 0;
  SlotId whole = 0;
  size_t at = 0;  // the place of the part in the whole, in bytes
};

// Returns the first fault of a plan, or nullopt. `offsets` has an entry for
// every slot.
//   - Copies between slots of the same size that have the same offset are taken
//     as not made, and so are views. All other copies of a point are executed
//     right, whatever overlaps between their destinations and sources
//     (SequenceCopies in programs/program_problem.h).
//   - Any other output may overlap a slot that the point reads only if the
//     point declares it (SlotInPlace) and both have exactly the same bytes, or
//     if it is a part in its place.
// O(points log ranges) for programs without joins; each join takes as long as
// the slots that are live there, once for each turn until nothing changes.
optional<ValueFault> FindValueFault(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets,
                                    Span<const SlotPart> parts = {});

// Returns a sentence that names the operator, the tensor, the byte, and what
// wrote it last.
std::string DescribeValueFault(const Program& program,
                               const ProgramPoints& points,
                               const ValueFault& fault);

}  // namespace stowage

#endif  // STOWAGE_VERIFY_VALUES_H_
