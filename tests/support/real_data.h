// SPDX-License-Identifier: Apache-2.0
// Finds data that this project is not allowed to distribute. The environment
// variables STOWAGE_MODELS, STOWAGE_TRACES, STOWAGE_GOLDEN and STOWAGE_MICRO
// name folders with such data. If the variable that a test needs is not set,
// the test is skipped with a message:
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

// Returns the folder that the environment variable names, or nothing if the
// variable is unset or empty. If the folder does not exist, the program exits
// with a message, because otherwise a misspelled path would only skip the test.
absl::optional<std::string> RealDataFolder(const char* variable);

// Returns the sorted paths of the files under `folder`, at any depth, whose
// names end in `ending`.
std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::string& ending);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_REAL_DATA_H_
