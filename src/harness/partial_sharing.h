// SPDX-License-Identifier: Apache-2.0
// A plan of which only part is left: some tensors keep their places beside each
// other, all others have memory of their own.
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
  // Tensors of one group lie relative to each other as in the plan; groups, and
  // tensors of none, share nothing.
  std::map<size_t, size_t> group_of;
  // Operators that still share in place if they did.
  std::set<size_t> in_place_nodes;
};

// Lays out the records. `offsets` are those of the plan, by tensor: multiples
// of `alignment`; tensors without one have memory of their own. Error:
// OutOfRange where an offset would pass 2^64 - 1. O(n log n).
absl::StatusOr<OffsetsAssignment> LayOutApart(
    const ArenaRecords& records,
    absl::Span<const absl::optional<size_t>> offsets, const KeptSharing& kept,
    size_t alignment);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_
