// SPDX-License-Identifier: Apache-2.0
// Files of the tree that are made from its sources: a test compares them with
// what they should be, and writes them if STOWAGE_GENERATE is set in the
// environment, as ./dev generate does.
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

// The bytes of the file; none if it is not there.
inline std::string ReadGeneratedFile(const std::string& path) {
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

// Writes the file where that is asked for, and expects these bytes in it
// elsewhere.
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
