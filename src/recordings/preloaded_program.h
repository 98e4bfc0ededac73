// SPDX-License-Identifier: Apache-2.0
// Starts programs with a library before them (LD_PRELOAD) that takes the place
// of malloc, for recording and replaying alike. Programs that copy their
// environment make allocations of its size, in an order that may depend on the
// names of variables. So both give it the same variables, whose values have the
// same length: the names of the libraries, too, are equally long.
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

// The variable by which the library finds what it shares with the command: a
// folder or a file.
constexpr string_view kPreloadedVariable = log_format::kFolderVariable;

// The length of every value of this variable but for longer paths, with which
// a replay is not sure to see what was recorded.
constexpr size_t kPreloadPathLength = 256;

// Returns an absolute path as another one of kPreloadPathLength characters that
// names the same file: with more slashes before it. Returns a longer one as it
// is.
std::string PaddedPreloadPath(const std::string& path);

struct PreloadedProgram {
  // The program, which is looked for in PATH, and its arguments.
  std::vector<std::string> command;
  std::string library;  // the path of the library
  std::string path;     // what the variable names; is absolute
};

// Starts the program and returns its process. The environment is that of the
// caller with two variables more at its end; what it had of these is dropped,
// but for other libraries in LD_PRELOAD. Addresses are not random. Signals are
// as a shell leaves them. Errors: InvalidArgument for a library that LD_PRELOAD
// cannot name; those that the system reports, naming the program.
StatusOr<pid_t> StartPreloaded(const PreloadedProgram& program);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PRELOADED_PROGRAM_H_
