// SPDX-License-Identifier: Apache-2.0
// Places the tensors of a graph in the arenas of a CPU interpreter, step by
// step. A later step places its tensors around the tensors of earlier steps. To
// place all records at once with any strategy, pass RecordsOf
// (tflite/lifetimes.h) to planner.h.
//
//   lifetimes = PlanLifetimes(graph, options);                // when
//   PlaceTensors(graph, lifetimes, 0, last_node, 64, &plan);  // where
//
// PlaceTensors follows the rules of TensorFlow Lite's arena planner, and makes
// the same plans (docs/arena.md).
#ifndef STOWAGE_HARNESS_ARENA_PLANNER_H_
#define STOWAGE_HARNESS_ARENA_PLANNER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/harness/program_plan.h"
#include "stowage/task_order.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/sharing.h"

namespace stowage::harness {

// Returns the indices of the records that are live from node 0 and are never
// freed. The CPU planner places these records first (ProblemSpec::place_first).
// O(n).
std::vector<size_t> PlacedFirst(const ArenaRecords& records,
                                absl::Span<const Lifetime> lifetimes);

// The offsets of tensors. An offset is a multiple of the alignment, and is
// relative to the start of the arena that contains the tensor, in bytes.
struct ArenaPlan {
  // Indexed by tensor. Nullopt for tensors that share the memory of another
  // tensor, have no bytes, or are not placed yet.
  std::vector<absl::optional<size_t>> offsets;
  size_t arena_bytes = 0;  // the largest size of the arena so far
  // The largest size of the persistent arena so far.
  size_t persistent_bytes = 0;
};

// The plan under which a subgraph runs, together with all inputs of its
// computation. Some shapes may become known only during the run. The first node
// that needs such a shape and all later nodes are then prepared during the run.
// Until then, tensors that are first needed at one of these nodes have no
// offset.
struct MemoryPlan : ArenaPlan {
  // The graph. Each of its tasks is a node: an operator, a partition of a
  // delegate, or a step of a partition. The graph includes the temporaries of
  // the prepared tasks.
  ArenaGraph graph;
  // The name of each task in messages, such as "operator 3 (ADD)".
  std::vector<std::string> places;
  std::vector<Lifetime> lifetimes;  // is indexed by tensor
  // The number of prepared tasks, which come first: the shapes of their outputs
  // are known.
  size_t prepared_nodes = 0;
  std::string strategy;  // the strategy that placed the tensors
  size_t alignment = 1;  // is in bytes
  // The order of the tasks, and the tasks that use each tensor (UsersOf). Set
  // only if tasks run on several streams; empty if tasks run one after another.
  absl::optional<TaskOrder> order;
  UserLists users;
  // For each tensor, its rigid group and its displacement in this group. Set
  // only under Sharing::kGroups. After the tensors are placed, the list
  // contains only the groups in which the plan shares memory.
  std::vector<RecordPlace> tensor_places;
  // `program` is null if this subgraph is planned on its own. Otherwise this
  // subgraph is planned as part of a program (program_plan.h), together with
  // the subgraphs that it calls. In this case, `program` is the plan of the
  // program, and `function` is the function that represents this subgraph. The
  // offsets are those of the program, `arena_bytes` is the size for all
  // subgraphs of the program, and `lifetimes` describes only this subgraph,
  // without sharing.
  std::shared_ptr<ProgramPlan> program;
  size_t function = 0;
  // Maps each tensor in the memory of a resource variable to the number of this
  // variable (resources.h). These tensors have no offset.
  std::map<size_t, int32_t> resources;

  // Returns the last prepared node, or 0 if no node is prepared.
  size_t last_node() const {
    return prepared_nodes == 0 ? 0 : prepared_nodes - 1;
  }
  // Returns the records for a strategy to place. After a run, the result also
  // includes the records that were placed during the run because their sizes
  // were not known before.
  ArenaRecords Records() const {
    return order ? RecordsOf(graph, lifetimes, users)
                 : RecordsOf(graph, lifetimes, tensor_places, last_node());
  }
};

// Places the tensors that are first needed at nodes in [first_node, last_node]
// by best fit, around the tensors that already have a place. Error: OutOfRange,
// naming the tensor, if an offset exceeds 2^64 - 1. O(n^2) for n tensors.
absl::Status PlaceTensors(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          size_t first_node, size_t last_node, size_t alignment,
                          ArenaPlan* plan);

// Places only the tensors of the persistent arena that are first needed at
// nodes in [first_node, last_node]. Use this function instead of PlaceTensors
// if a strategy places all other tensors.
absl::Status PlacePersistent(const ArenaGraph& graph,
                             absl::Span<const Lifetime> lifetimes,
                             size_t first_node, size_t last_node,
                             size_t alignment, ArenaPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_ARENA_PLANNER_H_
