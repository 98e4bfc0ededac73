// SPDX-License-Identifier: Apache-2.0
// The plan of a subgraph together with all subgraphs that it calls, whose
// tensors share one arena. A model without calls has none; see MemoryPlan
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
  // Function 0 is the entry. Its tensors, and those of all functions, have the
  // numbers that they have in the subgraph, and so have the nodes. If there are
  // variables, another function follows, which stands for all that may read
  // them between two invocations.
  Program program;
  // The subgraph of each function of the model.
  std::vector<size_t> subgraphs;
  // For each variable of the program its number among the resources of the
  // interpreter (resources.h). The program has the variables in whose memory
  // tensors may lie. All others are copied at each read and each assignment.
  std::vector<int32_t> resources;
  std::string strategy;  // the strategy that placed the slots
  // Has no offsets before memory is allocated.
  PlannedProgram planned;
  // For each slot the variable of the program in whose memory it lies; none if
  // it lies in the arena or has no memory.
  std::vector<absl::optional<size_t>> variables;
  // The points at which each slot needs its memory.
  std::vector<std::vector<LiveRun>> live;
  // The point of each operator that calls no function, by call and node.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> operator_points;

  // The scratch memory of copies that form a cycle, for nodes that need some:
  // by call and node, for each point at which the node copies results. It is
  // empty for points that need none.
  struct Scratch {
    size_t offset = 0;
    size_t bytes = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Scratch>> scratch;

  // Returns the offset of a tensor of a function; none if it has no memory of
  // its own in the arena.
  absl::optional<size_t> OffsetOf(size_t function, size_t tensor) const;
  // Returns the variable in whose memory a tensor of a function lies; none if
  // it lies elsewhere.
  absl::optional<size_t> VariableOf(size_t function, size_t tensor) const;
  // Returns whether the slot needs its memory at the point.
  bool IsLive(SlotId slot, uint32_t point) const;
  // Returns whether the slot has a value before the point that the point, or a
  // later one, still reads.
  bool IsFilled(SlotId slot, uint32_t point) const;
  // Returns whether a point after this one still reads the value that the slot
  // has then.
  bool IsReadAfter(SlotId slot, uint32_t point) const;
  // Returns the call that node `node` of `call` makes of a subgraph; none if it
  // makes none. If it calls the subgraph twice, both calls are alike.
  absl::optional<uint32_t> CallOf(uint32_t call, size_t node,
                                  size_t subgraph) const;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_PROGRAM_PLAN_H_
