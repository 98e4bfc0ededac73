// SPDX-License-Identifier: Apache-2.0
// Runs the command `stowage-minimalloc`, which is a link to `stowage`. The
// command accepts the flags and the files of the solver MiniMalloc, so that it
// can replace this solver. docs/cli.md is its manual.
#ifndef STOWAGE_SRC_COMMAND_MINIMALLOC_H_
#define STOWAGE_SRC_COMMAND_MINIMALLOC_H_

#include "absl/strings/string_view.h"
#include "src/command/verb.h"

namespace stowage::cli {

// Returns whether the command was called by the name of the link. `program` is
// the first word of the command line.
bool IsMinimalloc(absl::string_view program);

// Runs the command line. As with MiniMalloc, the exit code of every failure is
// 1, and no file is written after a failure.
Outcome RunMinimalloc(int argc, const char* const* argv);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_MINIMALLOC_H_
