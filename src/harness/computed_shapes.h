// SPDX-License-Identifier: Apache-2.0
// Plans, places and frees tensors whose shapes are computed from data during a
// run. For all other tensors use plan_graph.h, which plans them before the run.
#ifndef STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_
#define STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "src/harness/arena_memory.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

// Places the tensors of the tasks that were prepared during the run, from
// `task` on. Tensors that already have a place keep it, because their bytes are
// in use. If `preserves_all` is true, temporaries are never freed. Errors:
// InvalidArgument if memory provided by the caller is too small;
// ResourceExhausted if the memory limit is exceeded; those of PlaceNext.
absl::Status PlaceComputed(size_t task, bool preserves_all, RunningGraph* graph,
                           ArenaMemory* arenas, MemoryPlan* plan);

// Discards the shapes that were computed from the data of the last run, and the
// places of the tensors with these shapes, because the next run has other data.
void ForgetComputed(RunningGraph* graph, MemoryPlan* plan);

// Frees the dynamic inputs of `task` that no later task needs.
void FreeLastRead(size_t task, const MemoryPlan& plan, RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_COMPUTED_SHAPES_H_
