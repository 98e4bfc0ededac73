// SPDX-License-Identifier: Apache-2.0
// Defines the states of a subgraph between two calls, with one type for each. A
// state says what is known about the memory of the subgraph's tensors. A change
// of shapes, of storage or of delegates leads back to Unplanned.
//
//   Unplanned --PlanGraph--> Planned --AllocateGraph--> Allocated
//                                                        |     ^
//                                  other custom memory   v     |  Allocate
//                                                       Exchanged
//
// If another subgraph takes the shared arena away from a subgraph that is
// Allocated or Exchanged, the latter becomes Evicted. TakeArena makes it
// Allocated again.
//
// In every state except Unplanned, the graph is prepared (running_graph.h).
#ifndef STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
#define STOWAGE_SRC_HARNESS_GRAPH_STATES_H_

#include <cstddef>

#include "absl/types/variant.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

// There is no plan, or the last one is out of date. The tensors keep the memory
// that they have until the graph is prepared again.
struct Unplanned {
  MemoryPlan plan;  // the last plan, if there was one
};

// All nodes whose shapes do not depend on data are prepared, and the lifetimes
// of tensors are planned. No tensor has a place yet.
struct Planned {
  MemoryPlan plan;
};

// The graph can run: the tensors have memory according to the plan, the tensors
// that depend on constants alone are computed, and variables have a value.
struct Allocated : Planned {
  size_t invocation = 0;  // the number of successful invocations
};

// The graph was allocated, and since then the caller has replaced memory that
// it provides. The new memory has to be checked before the graph can run.
struct Exchanged : Allocated {};

// The graph was allocated, and since then another subgraph has taken the shared
// arena. Tensors in the arena have no memory.
struct Evicted : Allocated {
  // Says whether the caller has replaced memory that it provides.
  bool is_exchanged = false;
};

using GraphState =
    absl::variant<Unplanned, Planned, Allocated, Exchanged, Evicted>;

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
