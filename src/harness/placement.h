// SPDX-License-Identifier: Apache-2.0
// Places the tensors of a subgraph in its arenas: by a strategy, or by a
// planner that the caller brings. The arenas themselves are in arena_memory.h.
#ifndef STOWAGE_SRC_HARNESS_PLACEMENT_H_
#define STOWAGE_SRC_HARNESS_PLACEMENT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// No plan of the records takes fewer bytes, whichever of their groups it keeps.
// O(n log n).
size_t LowerBoundOf(const ArenaRecords& records);

// Places what is first needed at the prepared nodes, and says by what strategy.
// Requires all but offsets and strategy in the plan. Errors: NotFound for an
// unknown strategy; InvalidArgument for one that cannot plan the kind, and for
// a plan of the caller's that is not aligned or not complete; those of the
// planner.
absl::Status PlaceFirst(const InterpreterOptions& options, MemoryPlan* plan);

// Places what is first needed at prepared nodes from `first_node` on, their
// temporaries among it, around what is placed already; temporaries are never
// freed if `preserves_all`. Error: OutOfRange if an offset passes 2^64 - 1.
absl::Status PlaceNext(size_t first_node, bool preserves_all, MemoryPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PLACEMENT_H_
