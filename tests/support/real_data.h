// SPDX-License-Identifier: Apache-2.0
// Finds data that this project may not ship, by environment variables:
// STOWAGE_MODELS, STOWAGE_TRACES, STOWAGE_GOLDEN and STOWAGE_MICRO. A test that
// needs some is skipped with a message if there is none:
//
//   const auto models = RealDataFolder("STOWAGE_MODELS");
//   if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
//   for (const std::string& path : FilesIn(*models, ".tflite")) { ... }
#ifndef STOWAGE_TESTS_SUPPORT_REAL_DATA_H_
#define STOWAGE_TESTS_SUPPORT_REAL_DATA_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace stowage::support {

// Returns the folder that the variable names; nothing if it is unset or empty.
// If the variable names no folder, the program ends with a message: a misspelt
// path must not look like a test that is skipped intentionally.
absl::optional<std::string> RealDataFolder(const char* variable);

// Returns the sorted paths of the files under `folder`, at any depth, whose
// names end with `ending`.
std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::string& ending);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_REAL_DATA_H_
