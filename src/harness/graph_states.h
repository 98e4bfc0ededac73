// SPDX-License-Identifier: Apache-2.0
// Defines the states of a subgraph between two calls, one type for each. The
// state describes what is known about the memory of the subgraph's tensors. A
// change of shapes, of storage or of delegates leads back to Unplanned.
//
//   Unplanned --PlanGraph--> Planned --AllocateGraph--> Allocated
//                                                        |     ^
//                                  other custom memory   v     |  Allocate
//                                                       Exchanged
//
// If another subgraph takes the shared arena away from a subgraph in state
// Allocated or Exchanged, the state becomes Evicted. TakeArena changes it back
// to Allocated.
//
// In every state except Unplanned, the graph is prepared (running_graph.h).
#ifndef STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
#define STOWAGE_SRC_HARNESS_GRAPH_STATES_H_

#include <cstddef>

#include "absl/types/variant.h"
#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

// There is no plan, or the last plan is out of date. Until the graph is
// prepared again, the tensors keep the memory that they have.
struct Unplanned {
  MemoryPlan plan;  // the last plan, if there was one
};

// All nodes whose shapes do not depend on data are prepared, and the lifetimes
// of tensors are planned. No tensor has a place yet.
struct Planned {
  MemoryPlan plan;
};

// The graph can run: the tensors have memory according to the plan, the tensors
// that depend only on constants have been computed, and variables have a value.
struct Allocated : Planned {
  size_t invocation = 0;  // the number of successful invocations
};

// The graph was allocated, but the caller has replaced memory that it provides
// since then. The new memory has to be checked before the graph can run.
struct Exchanged : Allocated {};

// The graph was allocated, but another subgraph has taken the shared arena
// since then. Tensors in the arena have no memory.
struct Evicted : Allocated {
  // True if the caller has replaced memory that it provides.
  bool is_exchanged = false;
};

using GraphState =
    absl::variant<Unplanned, Planned, Allocated, Exchanged, Evicted>;

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_STATES_H_
