// SPDX-License-Identifier: Apache-2.0
// A plan that is kept only in part: some tensors keep their relative places,
// all others get separate memory.
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
  // Tensors of one group keep their relative places of the plan. Groups, and
  // tensors without a group, share nothing.
  std::map<size_t, size_t> group_of;
  // The operators that may still share in place, if they did.
  std::set<size_t> in_place_nodes;
};

// Lays out the records. `offsets` are those of the plan, by tensor, and
// multiples of `alignment`; tensors without one get separate memory. Error:
// OutOfRange if an offset would pass 2^64 - 1. O(n log n).
absl::StatusOr<OffsetsAssignment> LayOutApart(
    const ArenaRecords& records,
    absl::Span<const absl::optional<size_t>> offsets, const KeptSharing& kept,
    size_t alignment);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_
