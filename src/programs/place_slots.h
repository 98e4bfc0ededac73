// SPDX-License-Identifier: Apache-2.0
// Places what no record of a problem stands for: variables after the arena, and
// scratch memory for copies that form a cycle.
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
// after `end`, and each slot of `variables` where its variable is. Returns the
// first byte of the state and one past its last. Error: OutOfRange.
StatusOr<std::pair<size_t, size_t>> PlaceVariables(
    const ProgramPoints& points, Span<const optional<SlotId>> variables,
    size_t alignment, size_t end, std::vector<optional<size_t>>* offsets);

// Returns the points whose copies need scratch memory, with its bytes, in
// rising order.
std::vector<std::pair<uint32_t, size_t>> ScratchNeeds(
    const ProgramPoints& points, Span<const optional<size_t>> offsets);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_PLACE_SLOTS_H_
