// SPDX-License-Identifier: Apache-2.0
// Tests the networks with parameters. The expressions for the sizes must also
// be correct for models that are made at other values of the parameters.
#include "data/networks/dynamic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/io/read_file.h"

namespace stowage::networks {
namespace {

TEST(DynamicNetworks, AreInOrderOfTheirNames) {
  const auto all = AllDynamicNetworks();
  EXPECT_TRUE(std::is_sorted(
      all.begin(), all.end(),
      [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(DynamicNetworks, AreFoundByName) {
  for (const NamedNetwork& network : AllDynamicNetworks()) {
    EXPECT_EQ(FindDynamicNetwork(network.name), &network);
    EXPECT_EQ(FindNetwork(network.name), nullptr);
  }
  EXPECT_EQ(FindDynamicNetwork("bert"), nullptr);
}

class EachDynamicNetwork : public testing::TestWithParam<NamedNetwork> {};

// Expects that the model made at `values` equals the problem at these values.
void ExpectModel(const NamedNetwork& named, const DynamicProblem& problem,
                 const ParameterValues& values) {
  const std::string at = problem.Describe(values);
  std::map<std::string, int64_t> by_name;
  for (size_t i = 0; i < values.size(); ++i) {
    by_name[problem.spec().parameters[i].name] =
        static_cast<int64_t>(values[i]);
  }
  const auto model = DynamicSpecOf(named, std::move(by_name));
  const auto sizes = problem.SizesAt(values);
  ASSERT_TRUE(model.ok()) << at << ": " << model.status();
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(model->sizes, problem.spec().sizes);
  const auto& records = model->problem.records;
  ASSERT_EQ(records.size(), problem.size()) << at;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto& record = problem.spec().problem.records[i];
    EXPECT_EQ(records[i].tensor_size, (*sizes)[i]) << at << ", record " << i;
    EXPECT_EQ(records[i].first_task, record.first_task) << at;
    EXPECT_EQ(records[i].last_task, record.last_task) << at;
  }
}

TEST_P(EachDynamicNetwork, HasTheSizesOfModelsAtOtherValues) {
  auto spec = DynamicSpecOf(GetParam());
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_LE(spec->sizes.size(), 600u);
  const auto problem = DynamicProblem::Create(*std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const ParameterValues& values : problem->SampleValues(6)) {
    // Every tensor of a model has elements, so no model exists for a value of
    // 0.
    const bool is_model = std::all_of(values.begin(), values.end(),
                                      [](uint64_t v) { return v > 0; });
    if (is_model) ExpectModel(GetParam(), *problem, values);
  }
}

// data/check tests that these files equal those generated from the networks.
TEST(ShippedDynamicProblems, AreOneForEachNetworkAndSmall) {
  constexpr const char* kFolder = STOWAGE_SOURCE_DIR "/data/dynamic";
  std::set<std::string> files;
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    files.insert(entry.path().filename());
    bytes += entry.file_size();
  }
  std::set<std::string> expected;
  for (const NamedNetwork& network : AllDynamicNetworks()) {
    expected.insert(absl::StrCat(network.name, ".json"));
  }
  EXPECT_EQ(files, expected);
  EXPECT_LE(bytes, uintmax_t{500} << 10);
}

TEST_P(EachDynamicNetwork, IsShipped) {
  const std::string path = absl::StrCat(STOWAGE_SOURCE_DIR "/data/dynamic/",
                                        GetParam().name, ".json");
  const auto json = ReadFile(path);
  ASSERT_TRUE(json.ok()) << json.status();
  DynamicFile file;
  const auto problem = ReadDynamicProblem(*json, path, &file);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(FormatDynamicJson(file), *json);
}

INSTANTIATE_TEST_SUITE_P(All, EachDynamicNetwork,
                         testing::ValuesIn(AllDynamicNetworks()),
                         [](const auto& c) {
                           return std::string(c.param.name);
                         });

}  // namespace
}  // namespace stowage::networks
