// SPDX-License-Identifier: Apache-2.0
#include "src/construct/place_fixed.h"

#include <algorithm>
#include <cstddef>

#include "stowage/base/optional.h"

namespace stowage {

OffsetsAssignment PlaceFixed(const Problem& problem) {
  OffsetsAssignment plan;
  plan.offsets.resize(problem.size());
  if (!problem.has_fixed_offsets()) return plan;
  for (size_t i = 0; i < problem.size(); ++i) {
    const optional<size_t> offset = problem.fixed_offset(i);
    if (!offset) continue;
    plan.offsets[i] = *offset;
    plan.total_size =
        std::max(plan.total_size, *offset + problem.records()[i].tensor_size);
  }
  return plan;
}

OffsetsAssignment PlaceFixed(const Problem& problem, PlacedRecords* placed) {
  OffsetsAssignment plan = PlaceFixed(problem);
  if (!problem.has_fixed_offsets()) return plan;
  for (size_t i = 0; i < problem.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    if (!problem.fixed_offset(i) || size == 0) continue;
    placed->Add(i, plan.offsets[i], plan.offsets[i] + size);
  }
  return plan;
}

}  // namespace stowage
