// SPDX-License-Identifier: Apache-2.0
// Gives memory to the tensors of a planned graph. plan_graph.h makes the plan,
// and placement.h finds the places of the tensors.
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

// Places the tensors of the graph. Errors: ResourceExhausted if the plan
// exceeds the memory limit; InvalidArgument if memory that the caller provides
// is too small; the errors of PlaceFirst.
absl::Status PlaceGraph(const SharedState& shared, const RunningGraph& graph,
                        MemoryPlan* plan);

// Binds placed tensors to the arenas, runs the tasks that depend on constants
// alone, and resets variables. Moves the plan into the result. After an error,
// `planned` still has the plan. Errors: ResourceExhausted if the memory limit
// is exceeded; the errors of kernels.
absl::StatusOr<Allocated> AllocateGraph(Planned* planned, RunningGraph* graph,
                                        ArenaMemory* arenas);

// Binds the tensors of an allocated graph to the arenas once more after another
// plan has used the arenas. Also repeats the tasks that depend only on
// constants. The contents of inputs are lost. Errors: those of AllocateGraph.
absl::Status BindAgain(const MemoryPlan& plan, RunningGraph* graph,
                       ArenaMemory* arenas);

// Sets the elements of variables to 0, or to their zero point if they are
// quantized. Variables in memory that the caller provides are not changed.
void ClearVariables(RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ALLOCATE_GRAPH_H_
