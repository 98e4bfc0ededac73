// SPDX-License-Identifier: Apache-2.0
// Gives memory to the tensors of a planned graph. plan_graph.h plans the graph,
// and placement.h computes the offsets of the tensors.
#ifndef STOWAGE_SRC_HARNESS_ALLOCATE_GRAPH_H_
#define STOWAGE_SRC_HARNESS_ALLOCATE_GRAPH_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/arena_memory.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// Computes the offsets of the tensors of the graph. Errors: ResourceExhausted
// if the plan exceeds the memory limit; InvalidArgument if memory provided by
// the caller is too small; those of PlaceFirst.
absl::Status PlaceGraph(const SharedState& shared, const RunningGraph& graph,
                        MemoryPlan* plan);

// Binds placed tensors to the arenas, runs the tasks that depend only on
// constants, and resets variables. Moves the plan into the result; after an
// error, `planned` still holds the plan. Errors: ResourceExhausted if the
// memory limit is exceeded; those of kernels.
absl::StatusOr<Allocated> AllocateGraph(Planned* planned, RunningGraph* graph,
                                        ArenaMemory* arenas);

// Binds the tensors of an allocated graph to the arenas again after another
// plan has used the arenas. Also runs the tasks that depend only on constants
// again. The contents of inputs are lost. Errors: those of AllocateGraph.
absl::Status BindAgain(const MemoryPlan& plan, RunningGraph* graph,
                       ArenaMemory* arenas);

// Sets the elements of variables to 0, or to the zero point if they are
// quantized. Variables in memory provided by the caller are not changed.
void ClearVariables(RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ALLOCATE_GRAPH_H_
