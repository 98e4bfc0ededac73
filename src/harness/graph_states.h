// SPDX-License-Identifier: Apache-2.0
// The states of a subgraph between two calls: what is known about its memory.
// Each state is built from the one before it; a change of shapes, of storage or
// of delegates leads back to the first one.
//
//   Unplanned --PlanGraph--> Planned --AllocateGraph--> Allocated
//                                                        |     ^
//                                  other custom memory   v     |  Allocate
//                                                       Exchanged
//
// The graph of a state other than Unplanned is prepared (running_graph.h).
#ifndef STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
#define STOWAGE_SRC_HARNESS_GRAPH_STATES_H_

#include <cstddef>

#include "absl/types/variant.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

// There is no plan, or it does not hold any more. Until the graph is prepared
// again, its tensors keep the memory that they have.
struct Unplanned {
  MemoryPlan plan;  // the last plan, if there was one
};

// All nodes whose shapes do not depend on data are prepared, and the lifetimes
// of tensors are planned. No tensor has a place yet.
struct Planned {
  MemoryPlan plan;
};

// The tensors have memory according to the plan, what depends on constants
// alone is computed, and variables have a value: the graph can run.
struct Allocated : Planned {
  size_t invocation = 0;  // how often the graph was invoked successfully
};

// The caller has replaced memory that it had provided before the graph was
// allocated. The new memory has to be checked before the graph runs.
struct Exchanged : Allocated {};

using GraphState = absl::variant<Unplanned, Planned, Allocated, Exchanged>;

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
