// SPDX-License-Identifier: Apache-2.0
// Describes a prepared subgraph and all subgraphs that it calls as one program.
// The functions of a program share one arena.
#ifndef STOWAGE_SRC_HARNESS_BUILD_PROGRAM_H_
#define STOWAGE_SRC_HARNESS_BUILD_PROGRAM_H_

#include <memory>

#include "absl/status/status.h"
#include "src/harness/call_frames.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/program_plan.h"

namespace stowage::harness {

// Returns whether, under these options, subgraphs that call each other share
// one arena. Otherwise each subgraph has an arena of its own.
bool PlansTogether(const InterpreterOptions& options);

// Returns the program of a graph; the plan in the result has no offsets yet.
// Returns null if PlansTogether(options) is false. Also returns null if there
// is nothing to plan together: the graph passes arguments to no subgraph that
// is planned before the run, and no variable or carried output may lie in
// place.
//
// A subgraph has an arena of its own, outside of the program, in three cases:
// an operator that is prepared only during the run calls it, operators call it
// with different shapes, or CALL_ONCE calls it while no variable lies in place.
// The subgraphs that it calls then also have their own arenas. Tensors whose
// shapes are not known before the run have memory of their own, too.
//
// If InterpreterOptions::state_in_place is set, a graph that calls no subgraph
// also has a program if some of its variables may lie in place, or if it
// carries outputs to the next invocation. CALL_ONCE is then a call like any
// other.
std::shared_ptr<ProgramPlan> BuildProgram(const RunningGraph& graph,
                                          const MemoryPlan& plan,
                                          const OwnedResources& resources,
                                          const InterpreterOptions& options);

// Plans the program in one arena. Errors: those of PlanProgram.
absl::Status PlaceProgram(const InterpreterOptions& options,
                          ProgramPlan* program);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BUILD_PROGRAM_H_
