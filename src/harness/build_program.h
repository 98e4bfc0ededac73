// SPDX-License-Identifier: Apache-2.0
// Describes a prepared subgraph and all subgraphs that it calls as one program,
// whose functions share one arena.
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

// Returns whether subgraphs that call each other share one arena under these
// options. Otherwise each subgraph has its own arena.
bool PlansTogether(const InterpreterOptions& options);

// Returns the program of a graph, with a plan that has no offsets yet. Returns
// null if PlansTogether(options) is false, or if there is nothing to plan
// together: the graph passes arguments to no subgraph that is planned before
// the run, no tensor may be placed in the memory of a variable, and no output
// is carried in place.
//
// A subgraph has its own arena, outside the program, in three cases: it is
// called by an operator that is prepared only during the run, it is called with
// different shapes, or it is called by CALL_ONCE while no tensor may be placed
// in the memory of a variable. All subgraphs that it calls then also have their
// own arenas. Tensors with shapes that are not known before the run are
// allocated separately, too.
//
// If InterpreterOptions::state_in_place is set, a graph that calls no subgraph
// also has a program if some of its tensors may be placed in the memory of
// variables, or if it carries outputs to the next invocation. CALL_ONCE is then
// treated like any other call.
std::shared_ptr<ProgramPlan> BuildProgram(const RunningGraph& graph,
                                          const MemoryPlan& plan,
                                          const OwnedResources& resources,
                                          const InterpreterOptions& options);

// Plans the program in one arena. Errors: those of PlanProgram.
absl::Status PlaceProgram(const InterpreterOptions& options,
                          ProgramPlan* program);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BUILD_PROGRAM_H_
