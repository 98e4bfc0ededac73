// SPDX-License-Identifier: Apache-2.0
// Holds one plan for a subgraph and all subgraphs that it calls; the tensors of
// these subgraphs share one arena. A subgraph without calls, resource variables
// and carried outputs has no such plan; for it, use MemoryPlan
// (arena_planner.h).
//
//   const ProgramPlan* plan = interpreter->primary().plan().program.get();
//   if (plan != nullptr) std::cout << plan->planned.copied_bytes;
#ifndef STOWAGE_HARNESS_PROGRAM_PLAN_H_
#define STOWAGE_HARNESS_PROGRAM_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"

namespace stowage::harness {

struct ProgramPlan {
  // The program. Function 0 is the entry. In every function, tensors and nodes
  // have the same numbers as in its subgraph. If there are variables, the
  // program has an additional function at the end, which represents all code
  // that may read the variables between two invocations.
  Program program;
  // The subgraph of each function of the model.
  std::vector<size_t> subgraphs;
  // For each variable of the program, its number among the resources of the
  // interpreter (resources.h). The program contains a variable only if tensors
  // may use the memory of the variable. Reads and assignments of all other
  // variables copy.
  std::vector<int32_t> resources;
  std::string strategy;  // the strategy that placed the slots
  // The plan. It has no offsets until memory is allocated.
  PlannedProgram planned;
  // For each slot (programs/points.h), the variable of the program that
  // contains the slot in its memory. Nullopt if the slot is in the arena or has
  // no memory.
  std::vector<absl::optional<size_t>> variables;
  // The points at which each slot needs its memory.
  std::vector<std::vector<LiveRun>> live;
  // The point of each operator that does not call functions, by call and node.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> operator_points;

  // For each call and node, a list with an entry for each point at which the
  // node copies results. If the copies at this point form a cycle, the entry is
  // the scratch memory that they need. Otherwise the entry has 0 bytes.
  struct Scratch {
    size_t offset = 0;
    size_t bytes = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Scratch>> scratch;

  // Returns the offset of a tensor of a function, or nullopt if the tensor has
  // no memory of its own in the arena.
  absl::optional<size_t> OffsetOf(size_t function, size_t tensor) const;
  // Returns the variable that contains a tensor of a function in its memory, or
  // nullopt if the tensor is elsewhere.
  absl::optional<size_t> VariableOf(size_t function, size_t tensor) const;
  // Returns whether the slot needs its memory at the point.
  bool IsLive(SlotId slot, uint32_t point) const;
  // Returns whether, before the point, the slot has a value that is read at
  // this point or later.
  bool IsFilled(SlotId slot, uint32_t point) const;
  // Returns whether, after the point, the slot has a value that is read later.
  bool IsReadAfter(SlotId slot, uint32_t point) const;
  // Returns the call by which node `node` of `call` runs a subgraph, or nullopt
  // if the node does not call this subgraph. If the node calls the subgraph
  // twice, the two calls are equivalent, and the first one is returned.
  absl::optional<uint32_t> CallOf(uint32_t call, size_t node,
                                  size_t subgraph) const;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_PROGRAM_PLAN_H_
