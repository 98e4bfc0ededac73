// SPDX-License-Identifier: Apache-2.0
// Tests the networks from which the shipped traces were recorded.
#include "data/networks/networks.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "gtest/gtest.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::networks {
namespace {

bool IsLowerSnake(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

TEST(Networks, AreInOrderOfTheirNames) {
  const auto all = AllNetworks();
  EXPECT_TRUE(std::is_sorted(
      all.begin(), all.end(),
      [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(Networks, AreFoundByName) {
  for (const NamedNetwork& network : AllNetworks()) {
    EXPECT_EQ(FindNetwork(network.name), &network);
  }
  EXPECT_EQ(FindNetwork("unet "), nullptr);
}

class EachNetwork : public testing::TestWithParam<NamedNetwork> {};

TEST_P(EachNetwork, HasAName) {
  EXPECT_TRUE(IsLowerSnake(GetParam().name));
  EXPECT_FALSE(GetParam().description.empty());
}

TEST_P(EachNetwork, BecomesAModelWithRecords) {
  Network network(GetParam().name);
  GetParam().describe(network);
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto read = ParseModelTrace(*model, GetParam().name);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->subgraph_count, 1u);
  EXPECT_GE(read->problem.records.size(), 10u);
  EXPECT_LE(read->problem.records.size(), 1500u);
}

TEST_P(EachNetwork, ComputesNothingInVain) {
  Network network(GetParam().name);
  GetParam().describe(network);
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto read = ParseModelTrace(*model, GetParam().name);
  ASSERT_TRUE(read.ok()) << read.status();
  for (size_t i = 0; i < read->problem.records.size(); ++i) {
    EXPECT_LT(read->problem.records[i].first_task,
              read->problem.records[i].last_task)
        << "nothing reads tensor " << read->problem.names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachNetwork, testing::ValuesIn(AllNetworks()),
                         [](const auto& c) {
                           return std::string(c.param.name);
                         });

}  // namespace
}  // namespace stowage::networks
