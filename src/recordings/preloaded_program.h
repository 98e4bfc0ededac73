// SPDX-License-Identifier: Apache-2.0
// Starts programs with a preloaded library (LD_PRELOAD) that replaces malloc,
// both for recording and for replaying. If a program copies its environment,
// its allocations depend on the size of the environment, and their order may
// depend on the names of variables. Recording and replaying therefore pass the
// same variables to a program, with values of the same length. For the same
// reason, the names of the preloaded libraries have the same length.
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

// The variable that contains the path of the folder or file that the library
// shares with the command.
constexpr string_view kPreloadedVariable = log_format::kFolderVariable;

// The length to which values of this variable are padded. If a path is longer,
// the allocations of a replay may differ from the recorded allocations.
constexpr size_t kPreloadPathLength = 256;

// Prepends slashes to an absolute path, so that it has kPreloadPathLength
// characters and still refers to the same file. Returns a longer path
// unchanged.
std::string PaddedPreloadPath(const std::string& path);

struct PreloadedProgram {
  // The program and its arguments. The program is searched for in PATH.
  std::vector<std::string> command;
  std::string library;  // the path of the library
  std::string path;     // what the variable names; is absolute
};

// Starts the program and returns the id of its process. The program inherits
// the environment of the caller, but with new values of LD_PRELOAD and
// kPreloadedVariable, which come last. LD_PRELOAD still contains the libraries
// that it contained before. Addresses are not randomized. Signals are handled
// as if a shell had started the program. Errors: InvalidArgument for an empty
// command, and for a library with a path that cannot be in LD_PRELOAD; the
// errors that the system reports, with the name of the program.
StatusOr<pid_t> StartPreloaded(const PreloadedProgram& program);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PRELOADED_PROGRAM_H_
