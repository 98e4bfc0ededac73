// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command_output.h"

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace stowage::support {

CommandOutput RunInShell(const std::string& command) {
  CommandOutput output;
  std::FILE* const pipe = popen(command.c_str(), "re");  // NOLINT: our own
  if (pipe == nullptr) return output;
  char piece[4096];
  while (const size_t size = std::fread(piece, 1, sizeof(piece), pipe)) {
    output.text.append(piece, size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  return output;
}

}  // namespace stowage::support
