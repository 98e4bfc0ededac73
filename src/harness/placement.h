// SPDX-License-Identifier: Apache-2.0
// Places the tensors of a subgraph in its arenas, with a strategy or a planner
// that the caller provides. For the memory of the arenas use arena_memory.h.
#ifndef STOWAGE_SRC_HARNESS_PLACEMENT_H_
#define STOWAGE_SRC_HARNESS_PLACEMENT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// Returns a lower bound on the bytes of every plan of the records, no matter
// which groups the plan keeps. O(n log n).
size_t LowerBoundOf(const ArenaRecords& records);

// Places the tensors that are first needed at the prepared nodes, and sets the
// strategy of the plan. Requires that everything else in the plan, except the
// offsets, has been set. Errors: NotFound for an unknown strategy;
// InvalidArgument for a strategy that does not support this kind of plan, and
// for a misaligned or incomplete plan from a planner that the caller provides;
// those of that planner.
absl::Status PlaceFirst(const InterpreterOptions& options, MemoryPlan* plan);

// Places the tensors that are first needed at prepared nodes from `first_node`
// on, and the temporaries of these nodes, around the tensors that are already
// placed. If `preserves_all` is true, temporaries are never freed. If the plan
// has a program, these tensors get no place. Error: OutOfRange if an offset
// exceeds 2^64 - 1.
absl::Status PlaceNext(size_t first_node, bool preserves_all, MemoryPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PLACEMENT_H_
