// SPDX-License-Identifier: Apache-2.0
// Places the variables of a program after its arena, and computes the scratch
// memory that copies need if they form a cycle.
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

// Places the variables one after the other from the first aligned byte at or
// after `end`. If a slot has an entry in `variables`, places the slot where
// that variable is. Returns the first byte of the state, and the byte after its
// last one. Error: OutOfRange.
StatusOr<std::pair<size_t, size_t>> PlaceVariables(
    const ProgramPoints& points, Span<const optional<SlotId>> variables,
    size_t alignment, size_t end, std::vector<optional<size_t>>* offsets);

// Returns the points whose copies need scratch memory, in rising order. Each
// point comes with the bytes that it needs.
std::vector<std::pair<uint32_t, size_t>> ScratchNeeds(
    const ProgramPoints& points, Span<const optional<size_t>> offsets);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_PLACE_SLOTS_H_
