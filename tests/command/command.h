// SPDX-License-Identifier: Apache-2.0
// Runs the command as a shell does, in a folder of its own.
#ifndef STOWAGE_TESTS_COMMAND_COMMAND_H_
#define STOWAGE_TESTS_COMMAND_COMMAND_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// A trace as a file.
inline constexpr char kTwoRecords[] = "id,lower,upper,size\na,0,2,4\nb,1,3,8\n";

struct CommandResult {
  int exit_code = -1;  // 128 + the signal that ended it, as shells say it
  std::string out;
  std::string err;
};

// A temporary folder, deleted at the end, where commands run. `stowage` is the
// command that was built, or the one in the folder that the variable
// STOWAGE_COMMAND_FOLDER names.
class CommandFolder {
 public:
  CommandFolder();
  ~CommandFolder();
  CommandFolder(const CommandFolder&) = delete;
  CommandFolder& operator=(const CommandFolder&) = delete;

  const std::string& path() const { return path_; }

  // Runs a line of POSIX shell.
  CommandResult Run(const std::string& line) const;

  void Write(const std::string& name, absl::string_view content) const;
  std::string Read(const std::string& name) const;
  // Names of everything in the folder, sorted, with a space between.
  std::string List() const;

 private:
  std::string path_;
};

// The whole of a file, which must exist.
std::string ReadWholeFile(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TESTS_COMMAND_COMMAND_H_
