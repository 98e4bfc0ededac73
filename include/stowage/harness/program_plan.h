// SPDX-License-Identifier: Apache-2.0
// Holds one plan for a subgraph and all subgraphs that it calls. The tensors of
// these subgraphs share one arena. There is no such plan for a subgraph that
// has no calls, no resource variables and no carried outputs; use MemoryPlan
// (arena_planner.h) for such a subgraph.
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
  // Function 0 is the entry. In every function, tensors and nodes have the same
  // numbers as in its subgraph. If there are variables, the program has one
  // more function at the end, which stands for all code that may read the
  // variables between two invocations.
  Program program;
  // The subgraph of each function of the model.
  std::vector<size_t> subgraphs;
  // For each variable of the program, its number among the resources of the
  // interpreter (resources.h). The program contains a variable only if tensors
  // may lie in the memory of the variable. Each read and each assignment of any
  // other variable copies.
  std::vector<int32_t> resources;
  std::string strategy;  // the strategy that placed the slots
  // This plan has no offsets before memory is allocated.
  PlannedProgram planned;
  // For each slot (programs/points.h), the variable of the program that holds
  // the slot in its memory. There is no variable if the slot lies in the arena
  // or has no memory.
  std::vector<absl::optional<size_t>> variables;
  // The points at which each slot needs its memory.
  std::vector<std::vector<LiveRun>> live;
  // The point of each operator that calls no function, by call and node.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> operator_points;

  // Maps a call and a node to a list with an entry for each point at which the
  // node copies results. If the copies of this point form a cycle, the entry is
  // the scratch memory that they need. Otherwise the entry has 0 bytes.
  struct Scratch {
    size_t offset = 0;
    size_t bytes = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Scratch>> scratch;

  // Returns the offset of a tensor of a function. Returns nothing if the tensor
  // has no memory of its own in the arena.
  absl::optional<size_t> OffsetOf(size_t function, size_t tensor) const;
  // Returns the variable that holds a tensor of a function in its memory.
  // Returns nothing if the tensor lies elsewhere.
  absl::optional<size_t> VariableOf(size_t function, size_t tensor) const;
  // Returns whether the slot needs its memory at the point.
  bool IsLive(SlotId slot, uint32_t point) const;
  // Returns whether the slot has, before the point, a value that this point or
  // a later one still reads.
  bool IsFilled(SlotId slot, uint32_t point) const;
  // Returns whether the slot has, after the point, a value that a later point
  // still reads.
  bool IsReadAfter(SlotId slot, uint32_t point) const;
  // Returns the call by which node `node` of `call` runs a subgraph. Returns
  // nothing if the node does not call this subgraph. If the node calls the
  // subgraph twice, the two calls are alike, and the first one is returned.
  absl::optional<uint32_t> CallOf(uint32_t call, size_t node,
                                  size_t subgraph) const;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_PROGRAM_PLAN_H_
