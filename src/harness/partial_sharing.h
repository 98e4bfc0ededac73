// SPDX-License-Identifier: Apache-2.0
// Keeps a plan only in part: some tensors keep their places relative to each
// other, and all others get separate memory.
#ifndef STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_
#define STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

struct KeptSharing {
  // Maps tensors to groups. Tensors of one group keep the places relative to
  // each other that they have in the plan. Different groups share no memory,
  // and a tensor without a group shares none.
  std::map<size_t, size_t> group_of;
  // The operators that may share memory in place
  // (InterpreterOptions::in_place). No other operator shares memory in place,
  // even if it does under the plan.
  std::set<size_t> in_place_nodes;
};

// Computes an offset for each record. `offsets` has the offset of each tensor
// in the plan. These offsets must be multiples of `alignment`. Tensors without
// an offset in `offsets` get separate memory. Error: OutOfRange if an offset
// would pass 2^64 - 1. O(n log n).
absl::StatusOr<OffsetsAssignment> LayOutApart(
    const ArenaRecords& records,
    absl::Span<const absl::optional<size_t>> offsets, const KeptSharing& kept,
    size_t alignment);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_
