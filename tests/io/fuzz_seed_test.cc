// SPDX-License-Identifier: Apache-2.0
// Tests the seed inputs for fuzzing.

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/io/problem_file.h"
#include "tests/support/example_model.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

constexpr char kSeeds[] = STOWAGE_SOURCE_DIR "/fuzz/seeds";

TEST(FuzzSeedTest, EveryTraceIsValid) {
  const auto paths = support::FilesIn(kSeeds, ".csv");
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    EXPECT_TRUE(ReadProblemFile(path).ok()) << ReadProblemFile(path).status();
  }
}

TEST(FuzzSeedTest, TheModelIsTheExampleOfTheTests) {
  const std::string path = std::string(kSeeds) + "/model/example.tflite";
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  // If the seed is outdated, the model is written to a temporary file, which
  // can replace the seed.
  const std::string copy = testing::TempDir() + "/example.tflite";
  const bool is_same = content.str() == Build(ExampleModel());
  if (!is_same) std::ofstream(copy) << Build(ExampleModel());
  EXPECT_TRUE(is_same) << path << ": differs from " << copy;
}

}  // namespace
}  // namespace stowage
