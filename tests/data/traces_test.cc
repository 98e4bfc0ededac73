// SPDX-License-Identifier: Apache-2.0
// Tests the shipped traces. `data/check` tests that recording the networks
// again yields the same traces.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "data/networks/networks.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"

namespace stowage::networks {
namespace {

using testing::StartsWith;

constexpr const char* kTraces = STOWAGE_SOURCE_DIR "/data/traces";

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

TEST(ShippedTraces, AreOneForEachNetworkAndAtLeastTwelve) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
    files.insert(entry.path().filename());
  }
  std::set<std::string> expected;
  for (const NamedNetwork& network : AllNetworks()) {
    expected.insert(absl::StrCat(network.name, ".csv"));
  }
  EXPECT_EQ(files, expected);
  EXPECT_GE(files.size(), 12u);
}

TEST(ShippedTraces, AreSmallTogether) {
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
    bytes += entry.file_size();
  }
  EXPECT_LE(bytes, uintmax_t{300} << 10);
}

TEST(ShippedTraces, BeginWithTheirCommandsAndCanBeRead) {
  for (const NamedNetwork& network : AllNetworks()) {
    const auto path = absl::StrCat(kTraces, "/", network.name, ".csv");
    EXPECT_THAT(Content(path),
                StartsWith(absl::StrCat(
                    "# stowage_networks model ", network.name, " -o ",
                    network.name, ".tflite\n# stowage trace ", network.name,
                    ".tflite -o ", network.name, ".csv\n")));
    EXPECT_TRUE(ReadProblemFile(path).ok()) << ReadProblemFile(path).status();
  }
}

}  // namespace
}  // namespace stowage::networks
