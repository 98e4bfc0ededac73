// SPDX-License-Identifier: Apache-2.0
// Adds facts about programs to the answers of verbs, and prepares programs for
// checking a plan.
#ifndef STOWAGE_SRC_COMMAND_PROGRAM_PLAN_H_
#define STOWAGE_SRC_COMMAND_PROGRAM_PLAN_H_

#include "absl/status/status.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

// Adds the option --copies.
void AddCopies(CLI::App* verb, InputOptions* options);

// Adds the size of the program from which a problem was made. Adds nothing if
// the problem was not made from a program.
void AddProgramOf(const ProblemSpec& problem, Answer* answer);

// Adds the size of the state of a program in bytes, and whether the state is
// kept in place. Adds nothing for a problem without state.
void AddStateOf(const ProblemSpec& problem, Answer* answer);

// Adds the number of bytes that the plan of a program copies. Adds nothing if
// there is no plan, or if the problem was not made from a program.
void AddCopiesOf(const Problem& problem, const Solution& solution,
                 Answer* answer);

// Expands the program of `asked` with the options in the plan file, so that the
// problem and the plan have the same records. Does nothing for problems that
// were not made from programs. Error: InvalidArgument if the plan is for
// another program.
absl::Status ExpandAsPlanned(const NamedFile& plan, NamedFile* asked);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_PLAN_H_
