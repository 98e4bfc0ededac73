// SPDX-License-Identifier: Apache-2.0
// Runs shell commands, such as calls of stowage, in a temporary folder.
#ifndef STOWAGE_TESTS_COMMAND_COMMAND_H_
#define STOWAGE_TESTS_COMMAND_COMMAND_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// The content of a trace file with two records.
inline constexpr char kTwoRecords[] = "id,lower,upper,size\na,0,2,4\nb,1,3,8\n";

// The parameters of a trace of random records. The random numbers are below
// `tasks`, `lengths` and `sizes`.
struct RandomTrace {
  int records = 0;
  uint64_t tasks = 0;    // exclusive limit of the first task of a record
  uint64_t lengths = 0;  // exclusive limit of last minus first task
  uint64_t sizes = 0;    // exclusive limit of size minus least_size
  uint64_t least_size = 1;
};

// Returns the trace as CSV. The ids count up from 0.
std::string RandomTraceCsv(const RandomTrace& trace, uint64_t seed);

struct CommandResult {
  int exit_code = -1;  // 128 + the signal's number if a signal ended it
  std::string out;
  std::string err;
};

// A temporary folder in which shell commands run. The destructor deletes the
// folder. In a command line, `stowage` is the command of this build, or the one
// in the folder that the environment variable STOWAGE_COMMAND_FOLDER names.
class CommandFolder {
 public:
  CommandFolder();
  ~CommandFolder();
  CommandFolder(const CommandFolder&) = delete;
  CommandFolder& operator=(const CommandFolder&) = delete;

  const std::string& path() const { return path_; }

  // Runs a line of POSIX shell. Removes the lines that report progress on slow
  // machines from the standard error in the result.
  CommandResult Run(const std::string& line) const;

  void Write(const std::string& name, absl::string_view content) const;
  std::string Read(const std::string& name) const;
  // Returns the names of all files in the folder, sorted and separated by
  // spaces.
  std::string List() const;

 private:
  std::string path_;
};

// Returns the content of a file, which must exist.
std::string ReadWholeFile(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TESTS_COMMAND_COMMAND_H_
