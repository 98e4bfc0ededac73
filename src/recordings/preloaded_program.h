// SPDX-License-Identifier: Apache-2.0
// Starts programs with a library before them (LD_PRELOAD) that takes the place
// of malloc, for recording and replaying alike. Programs that copy their
// environment make allocations of its size, so both give it the same size: the
// names of the libraries and of the variables have equal lengths, and so has
// every value of such a variable.
#ifndef STOWAGE_SRC_RECORDINGS_PRELOADED_PROGRAM_H_
#define STOWAGE_SRC_RECORDINGS_PRELOADED_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/log_format.h"

namespace stowage::recordings {

// The variables by which the libraries find the file that they share with the
// command.
constexpr string_view kRecordVariable = log_format::kFolderVariable;
constexpr string_view kReplayVariable = "STOWAGE_REPLAY_MAP";
static_assert(kRecordVariable.size() == kReplayVariable.size(),
              "programs see both, one at a time");

// The length of every value of these variables.
constexpr size_t kPreloadPathLength = 256;

// Returns an absolute path as another one of kPreloadPathLength characters that
// names the same file: with more slashes before it. Error: InvalidArgument for
// a path that is longer or not absolute.
StatusOr<std::string> PaddedPreloadPath(const std::string& path);

struct PreloadedProgram {
  // The program, which is looked for in PATH, and its arguments.
  std::vector<std::string> command;
  std::string library;   // the path of the library
  string_view variable;  // one of the two
  std::string path;      // its value, which is padded
};

// Starts the program and returns its process. The environment is that of the
// caller with two variables more at its end; what it had of these is dropped,
// but for other libraries in LD_PRELOAD. Addresses are not random. Signals are
// as a shell leaves them. Errors: InvalidArgument for paths with which this
// does not work; those that the system reports, naming the program.
StatusOr<pid_t> StartPreloaded(const PreloadedProgram& program);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PRELOADED_PROGRAM_H_
