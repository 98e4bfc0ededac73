// SPDX-License-Identifier: Apache-2.0
// Checks a plan of a program by tracking the values in memory. The plan may
// have any origin. The check supports all ways in which tensors can share
// memory: views, results in place, branches and loops. If conflicting records
// of a plan never share a byte, verify.h is sufficient.
//
//   optional<ValueFault> fault = FindValueFault(points, offsets);
//   if (fault) Print(DescribeValueFault(program, points, *fault));
//
// Memory is a map from ranges of bytes to values. A write stores a new value in
// the bytes of a slot; a copy or a view stores the value of its source. A read
// requires that every byte of the slot still holds the slot's value. Where
// paths join, a byte holds a slot's value only if it holds that value on every
// path. The iterations of a loop are repeated until the map no longer changes.
//
// The result is exact for the paths through the points: a fault is returned if
// and only if some path has a fault. In a path, each loop may have any number
// of iterations.
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
    kInPlace,      // a point may not write over a slot that it reads, but does
    kTwoResults,   // two results of one point lie on the same byte
    // A slot that is used has no offset, or its end is above 2^64 - 1.
    kNoOffset,
  };
  Kind kind = Kind::kOverwritten;
  size_t point = 0;  // the point that reads, or writes
  SlotId slot = 0;   // the slot that is damaged
  size_t byte = 0;   // the first damaged byte, as an offset in the arena
  // The point that last wrote the damaged byte, and the slot that this point
  // wrote. If the last writer depends on the path, points that wrote `slot`
  // itself are ignored. Both fields are nullopt if no point wrote the byte, or
  // if several writers are possible.
  optional<size_t> writer = nullopt;
  optional<SlotId> writer_slot = nullopt;
  SlotId other = 0;  // for kInPlace and kTwoResults: the slot that overwrites
};

// A slot (`part`) that may be inside another slot (`whole`) at a point that
// reads one of the two slots and writes the other. If `part` is inside `whole`,
// the point does not copy it. For example, an input of a concatenation may be
// inside the output.
struct SlotPart {
  size_t point = 0;
  SlotId part = 0;
  SlotId whole = 0;
  size_t at = 0;  // the place of the part in the whole, in bytes
};

// Returns the first fault of a plan, or nullopt. `offsets` has an entry for
// every slot.
//   - Copies and views between slots of the same size at the same offset write
//     nothing. All other copies of a point are assumed to be executed in a
//     correct sequence, even if the destination of one copy overlaps the source
//     of another copy (SequenceCopies in programs/program_problem.h).
//   - Any other output may overlap a slot that the point reads in only two
//     cases: the point declares the overlap (SlotInPlace) and both slots have
//     exactly the same bytes, or one slot is a part of the other slot and is
//     at the place in the other slot that its SlotPart specifies.
// O(points log ranges) for programs without joins. Each join also takes time
// for every slot that is live at the join, once for each iteration until the
// map no longer changes.
optional<ValueFault> FindValueFault(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets,
                                    Span<const SlotPart> parts = {});

// Returns a sentence that names the operator, the tensor, the byte, and the
// last writer of the byte.
std::string DescribeValueFault(const Program& program,
                               const ProgramPoints& points,
                               const ValueFault& fault);

}  // namespace stowage

#endif  // STOWAGE_VERIFY_VALUES_H_
