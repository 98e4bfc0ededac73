// SPDX-License-Identifier: Apache-2.0
// Finds the libraries that the command puts before programs.
#ifndef STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_
#define STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Returns the path of a library: beside the command in a build, or where it is
// installed relative to the command. If there is none, returns where it was
// expected.
std::string PreloadLibrary(absl::string_view name);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_
