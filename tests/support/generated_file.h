// SPDX-License-Identifier: Apache-2.0
// Compares generated files of the project with their expected content. If the
// environment variable STOWAGE_GENERATE is set, as `./dev generate` does,
// writes the files instead.
#ifndef STOWAGE_TESTS_SUPPORT_GENERATED_FILE_H_
#define STOWAGE_TESTS_SUPPORT_GENERATED_FILE_H_

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace stowage {

inline bool IsGenerating() {
  return std::getenv("STOWAGE_GENERATE") !=
         nullptr;  // NOLINT(concurrency-mt-unsafe)
}

// Returns the content of the file, or an empty string if the file does not
// exist.
inline std::string ReadGeneratedFile(const std::string& path) {
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

// Expects that the file has the given content. If STOWAGE_GENERATE is set,
// writes the content to the file instead.
inline void ExpectGeneratedFile(const std::string& path,
                                const std::string& content) {
  if (IsGenerating()) {
    EXPECT_TRUE(std::ofstream(path, std::ios::binary) << content) << path;
    return;
  }
  EXPECT_TRUE(ReadGeneratedFile(path) == content)
      << path << ": out of date; expected what ./dev generate writes";
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_GENERATED_FILE_H_
