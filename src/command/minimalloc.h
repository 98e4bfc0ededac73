// SPDX-License-Identifier: Apache-2.0
// Runs the command `stowage-minimalloc`, which is a link to `stowage`. The
// command accepts the flags and files of the solver MiniMalloc and can
// therefore replace it. The manual of the command is docs/cli.md.
#ifndef STOWAGE_SRC_COMMAND_MINIMALLOC_H_
#define STOWAGE_SRC_COMMAND_MINIMALLOC_H_

#include "absl/strings/string_view.h"
#include "src/command/verb.h"

namespace stowage::cli {

// Returns whether the command was called by the name of the link. `program` is
// the first word of the command line.
bool IsMinimalloc(absl::string_view program);

// Runs the command line. As in MiniMalloc, the exit code of every failure is 1,
// and a command that fails writes no file.
Outcome RunMinimalloc(int argc, const char* const* argv);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_MINIMALLOC_H_
