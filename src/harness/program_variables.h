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

// Adds variables to a program that has none, with the nodes that read and
// assign them, and the function that stands for all that may read them between
// two invocations. `graphs` has the subgraph of each function. Returns whether
// there is any variable.
//
// A variable is left out if an operator uses it that is no operator of the
// program or has its value in other memory than the arena, or if its values
// have different sizes. All are left out if it is not known which variable an
// operator uses.
bool AddVariables(absl::Span<const RunningGraph* const> graphs,
                  const OwnedResources& resources, ProgramPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PROGRAM_VARIABLES_H_
