// SPDX-License-Identifier: Apache-2.0
// Gives the tensors of a planned graph memory.
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

// Places the tensors, binds them to the arenas, computes what depends on
// constants alone, and resets variables. Moves the plan into the result; after
// an error `planned` keeps it. Errors: ResourceExhausted above the memory
// limit; InvalidArgument for custom memory that is too small; those of the
// placement and of kernels.
absl::StatusOr<Allocated> AllocateGraph(const SharedState& shared,
                                        Planned* planned, RunningGraph* graph,
                                        ArenaMemory* arenas);

// Binds the tensors of an allocated graph to the arenas again, which another
// plan has used since, and computes again what depends on constants alone. The
// contents of inputs are lost. Errors: those of AllocateGraph.
absl::Status BindAgain(const MemoryPlan& plan, RunningGraph* graph,
                       ArenaMemory* arenas);

// Sets variables to zero, or to their zero point, unless the caller provides
// their memory.
void ClearVariables(RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ALLOCATE_GRAPH_H_
