// SPDX-License-Identifier: Apache-2.0
// Runs commands whose output a test compares. For child processes with limits
// or with input, use src/testing/child_process.h.
#ifndef STOWAGE_TESTS_SUPPORT_COMMAND_OUTPUT_H_
#define STOWAGE_TESTS_SUPPORT_COMMAND_OUTPUT_H_

#include <string>

namespace stowage::support {

struct CommandOutput {
  std::string text;  // what the command wrote to standard output
  // -1 if the command could not be started or was terminated by a signal.
  int exit_code = -1;
};

// Runs a command in the shell, and waits for it to exit.
CommandOutput RunInShell(const std::string& command);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_COMMAND_OUTPUT_H_
