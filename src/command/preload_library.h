// SPDX-License-Identifier: Apache-2.0
// Finds the libraries that the command preloads into the programs that it runs.
#ifndef STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_
#define STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Returns the path of a library. In a build tree, the library is in a folder
// beside the command. Otherwise, returns the path at which an installed library
// is expected, relative to the command, even if there is no file at this path.
std::string PreloadLibrary(absl::string_view name);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PRELOAD_LIBRARY_H_
