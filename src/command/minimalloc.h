// SPDX-License-Identifier: Apache-2.0
// The command `stowage-minimalloc`, a link to `stowage`: takes the flags and
// the files of the solver MiniMalloc, so that it can stand in its place.
// docs/cli.md is its manual.
#ifndef STOWAGE_SRC_COMMAND_MINIMALLOC_H_
#define STOWAGE_SRC_COMMAND_MINIMALLOC_H_

#include "absl/strings/string_view.h"
#include "src/command/verb.h"

namespace stowage::cli {

// Returns whether the command was called by the name of the link. `program` is
// the first word of the command line.
bool IsMinimalloc(absl::string_view program);

// Runs the command line. The exit code of every failure is 1, as MiniMalloc has
// it, and no file is then written.
Outcome RunMinimalloc(int argc, const char* const* argv);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_MINIMALLOC_H_
