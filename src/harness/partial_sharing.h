// SPDX-License-Identifier: Apache-2.0
// Keeps only a part of a plan: some tensors keep their places relative to each
// other, and all other tensors get separate memory.
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
  // Maps tensors to groups. The tensors of a group keep their places relative
  // to each other. Tensors of different groups share no memory, and a tensor
  // without a group shares none.
  std::map<size_t, size_t> group_of;
  // The operators that may share memory in place
  // (InterpreterOptions::in_place). All other operators do not, even if they do
  // so under the plan.
  std::set<size_t> in_place_nodes;
};

// Computes an offset for each record. `offsets` contains the offset of each
// tensor in the plan, which must be a multiple of `alignment`. Tensors without
// an offset get separate memory. Error: OutOfRange if an offset would exceed
// 2^64 - 1. O(n log n).
absl::StatusOr<OffsetsAssignment> LayOutApart(
    const ArenaRecords& records,
    absl::Span<const absl::optional<size_t>> offsets, const KeptSharing& kept,
    size_t alignment);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PARTIAL_SHARING_H_
