// SPDX-License-Identifier: Apache-2.0
// Data that is not ours to ship, found by environment variables:
// STOWAGE_MODELS, STOWAGE_TRACES, STOWAGE_GOLDEN, STOWAGE_MICRO. A test that
// needs some says so when it has none:
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

// The folder that the variable names, or nothing if it is unset or empty. A
// variable that names no folder ends the program with a message: a misspelt
// path must not look like a test skipped on purpose.
absl::optional<std::string> RealDataFolder(const char* variable);

// Paths of the files under `folder`, at any depth, whose names end so; sorted.
std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::string& ending);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_REAL_DATA_H_
