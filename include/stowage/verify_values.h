// SPDX-License-Identifier: Apache-2.0
// Checks a plan by the values that lie in memory, whatever shares memory in it
// and whoever made it: views, results in place, branches, loops. A plan whose
// conflicting records never share a byte needs only verify.h.
//
// Memory is a map from ranges of bytes to values. A write puts a new value on
// the bytes of a tensor; a copy or a view the value of its source. A read
// requires that every byte of the tensor still holds the tensor's value. Where
// paths join, a byte with two values holds neither. Loops are followed until
// nothing changes.
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
    kInPlace,      // an operator writes over an input that it may not
    kTwoResults,   // two results of one point lie on the same byte
    kNoOffset,     // a slot that is used has no offset
  };
  Kind kind = Kind::kOverwritten;
  size_t point = 0;  // the point that reads, or writes
  SlotId slot = 0;   // the slot that is damaged
  size_t byte = 0;   // the first such byte, as an offset in the arena
  // The point and the slot that wrote the byte last; nullopt if none did, or if
  // it depends on the path.
  optional<size_t> writer = nullopt;
  optional<SlotId> writer_slot = nullopt;
  SlotId other = 0;  // for kInPlace and kTwoResults: the slot that overwrites
};

// Returns the first fault of a plan, or nullopt. `offsets` has an entry for
// every slot. Copies between slots that have the same offset are taken as not
// made. O(points log ranges) for programs without loops, and that times the
// depth of loops otherwise.
optional<ValueFault> FindValueFault(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets);

// Returns a sentence that names the operator, the tensor, the byte, and who
// wrote it last.
std::string DescribeValueFault(const Program& program,
                               const ProgramPoints& points,
                               const ValueFault& fault);

}  // namespace stowage

#endif  // STOWAGE_VERIFY_VALUES_H_
