// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/xnnpack/known_claims.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace stowage::harness {
namespace {

// Parses a list of nodes. For example, "0-3,5" means the nodes 0, 1, 2, 3 and
// 5.
std::set<int> NodesOf(absl::string_view text) {
  std::set<int> nodes;
  for (const absl::string_view range :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> ends = absl::StrSplit(range, '-');
    int first = 0;
    int last = 0;
    EXPECT_TRUE(absl::SimpleAtoi(ends.front(), &first)) << range;
    EXPECT_TRUE(absl::SimpleAtoi(ends.back(), &last)) << range;
    for (int node = first; node <= last; ++node) nodes.insert(node);
  }
  return nodes;
}

}  // namespace

std::map<std::string, KnownModel> AllKnownModels() {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/delegates/models_xnnpack.tsv");
  std::map<std::string, KnownModel> models;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() != 3 || cells[0] == "model") continue;
    KnownModel& model = models[cells[0]];
    if (cells[1] != "-") model.nodes = NodesOf(cells[1]);
    EXPECT_TRUE(absl::SimpleAtod(cells[2], &model.difference)) << line;
  }
  return models;
}

std::vector<std::string> KnownModels() {
  std::vector<std::string> models;
  for (const auto& [name, model] : AllKnownModels()) models.push_back(name);
  return models;
}

std::string TestNameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace stowage::harness
