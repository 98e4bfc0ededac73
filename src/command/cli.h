// SPDX-License-Identifier: Apache-2.0
// Implements the command `stowage`: parses the command line and runs a verb.
// The manual of the command is docs/cli.md.
#ifndef STOWAGE_SRC_COMMAND_CLI_H_
#define STOWAGE_SRC_COMMAND_CLI_H_

namespace stowage::cli {

// Runs the command line and returns its exit code. Writes messages to standard
// error, and either the whole answer or nothing to standard output. Throws
// nothing.
int Main(int argc, const char* const* argv);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_CLI_H_
