// SPDX-License-Identifier: Apache-2.0
// Finds the resource variables of a program that may be read and assigned in
// their own memory.
#ifndef STOWAGE_SRC_HARNESS_PROGRAM_VARIABLES_H_
#define STOWAGE_SRC_HARNESS_PROGRAM_VARIABLES_H_

#include "absl/types/span.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/program_plan.h"

namespace stowage::harness {

// Adds resource variables to a program that has none, and records the nodes
// that read and assign each variable. Also adds a function that reads all
// variables, which represents everything that may read variables between two
// invocations. `graphs` contains the subgraph of each function. Returns whether
// any variable was added.
//
// A variable is not added if anything other than a READ_VARIABLE or
// ASSIGN_VARIABLE node of the program uses it, if it is read into memory
// outside the arena, or if its values have different or unknown sizes. No
// variable is added if a subgraph outside the program may use one, or if it is
// not known which variable an operator uses.
bool AddVariables(absl::Span<const RunningGraph* const> graphs,
                  const OwnedResources& resources, ProgramPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PROGRAM_VARIABLES_H_
