// SPDX-License-Identifier: Apache-2.0
// Places the variables of a program after its arena, and computes the scratch
// memory that is needed for cyclic copies.
#ifndef STOWAGE_SRC_PROGRAMS_PLACE_SLOTS_H_
#define STOWAGE_SRC_PROGRAMS_PLACE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/points.h"

namespace stowage {

// Places the variables one after another, beginning at the first aligned byte
// at or after `end`. If a slot has an entry in `variables`, assigns to the slot
// the place of that variable. Returns the half-open range of bytes that the
// variables occupy. Errors: OutOfRange.
StatusOr<std::pair<size_t, size_t>> PlaceVariables(
    const ProgramPoints& points, Span<const optional<SlotId>> variables,
    size_t alignment, size_t end, std::vector<optional<size_t>>* offsets);

// Returns the points that need scratch memory for their copies, in rising
// order, together with the number of bytes that each point needs.
std::vector<std::pair<uint32_t, size_t>> ScratchNeeds(
    const ProgramPoints& points, Span<const optional<size_t>> offsets);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_PLACE_SLOTS_H_
