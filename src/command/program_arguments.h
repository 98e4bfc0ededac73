// SPDX-License-Identifier: Apache-2.0
// The program that a verb runs, with its arguments: what follows "--" on the
// command line, exactly as the user has given it. The parser of options cannot
// keep it, since it takes "[a,b]" for a list.
#ifndef STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_
#define STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace stowage::cli {

// Remembers the command line. Must be called before a verb runs.
void SetProgramArguments(int argc, const char* const* argv);

// Adds the program to the arguments of a verb, for its help.
void AddProgram(CLI::App* verb);

// Returns the program and its arguments. Error: InvalidArgument if nothing
// follows a "--" on the command line, or if the parser has found arguments for
// the program before it.
absl::StatusOr<std::vector<std::string>> ProgramArguments(const CLI::App& verb);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_ARGUMENTS_H_
