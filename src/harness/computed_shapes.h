// SPDX-License-Identifier: Apache-2.0
// Plans, places and frees the tensors whose shapes are computed while a graph
// runs.
#ifndef STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_
#define STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "src/harness/arena_memory.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

// Places the tensors of the tasks that are prepared during a run, from `task`
// on, around the tensors that already have a place, whose bytes are in use.
// With `preserves_all` temporaries are never freed. Errors: InvalidArgument for
// custom memory that is too small; those of PlaceNext; ResourceExhausted above
// the memory limit.
absl::Status PlaceComputed(size_t task, bool preserves_all, RunningGraph* graph,
                           ArenaMemory* arenas, MemoryPlan* plan);

// Discards the shapes that were computed from data in a run, with the places of
// their tensors, since they do not hold for the next run.
void ForgetComputed(RunningGraph* graph, MemoryPlan* plan);

// Frees the dynamic tensors that this task is the last to read.
void FreeLastRead(size_t task, const MemoryPlan& plan, RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_
