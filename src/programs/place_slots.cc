// SPDX-License-Identifier: Apache-2.0
#include "src/programs/place_slots.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tensor_size.h"

namespace stowage {

StatusOr<std::pair<size_t, size_t>> PlaceVariables(
    const ProgramPoints& points, Span<const optional<SlotId>> variables,
    size_t alignment, size_t end, std::vector<optional<size_t>>* offsets) {
  const std::vector<size_t>& sizes = points.slot_sizes;
  optional<size_t> next = CheckedAlignUp(end, alignment);
  const size_t begin = next.value_or(0);
  for (SlotId slot = points.first_slot.back(); next && slot < sizes.size();
       ++slot) {
    if (sizes[slot] == 0) continue;
    (*offsets)[slot] = *next;
    next = CheckedAdd(*next, sizes[slot]);
    if (next) next = CheckedAlignUp(*next, alignment);
  }
  if (!next) {
    return OutOfRangeError("the arena and the variables overflow 64 bits");
  }
  for (SlotId slot = 0; slot < variables.size(); ++slot) {
    if (variables[slot]) (*offsets)[slot] = (*offsets)[*variables[slot]];
  }
  return std::pair(begin, *next);
}

std::vector<std::pair<uint32_t, size_t>> ScratchNeeds(
    const ProgramPoints& points, Span<const optional<size_t>> offsets) {
  std::vector<std::pair<uint32_t, size_t>> needs;
  for (uint32_t p = 0; p < points.points.size(); ++p) {
    const std::vector<SlotCopy>& copies = points.points[p].copies;
    if (copies.size() < 2) continue;
    const size_t bytes = SequenceCopies(points, copies, offsets).scratch_bytes;
    if (bytes > 0) needs.emplace_back(p, bytes);
  }
  return needs;
}

}  // namespace stowage
