// SPDX-License-Identifier: Apache-2.0
// Stores the program that a verb runs, and its arguments. Both follow "--" on
// the command line and are stored exactly as the user has written them. The
// option parser would change them, since it splits "[a,b]" as a list.
#ifndef STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_
#define STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace stowage::cli {

// Stores the command line. Must be called before a verb runs.
void SetProgramArguments(int argc, const char* const* argv);

// Adds the program to the arguments that the help of a verb shows.
void AddProgram(CLI::App* verb);

// Returns the program and its arguments. Error: InvalidArgument if nothing
// follows a "--" on the command line, or if there are arguments for the program
// before the "--".
absl::StatusOr<std::vector<std::string>> ProgramArguments(const CLI::App& verb);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_
