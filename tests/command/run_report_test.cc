// SPDX-License-Identifier: Apache-2.0
// Tests the report of a run: the findings of the checks and the times of
// operators.
#include "src/command/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/checks.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

RunArgs ArgsOf(Format format) {
  RunArgs args;
  args.model = "net.tflite";
  args.check = "all";
  args.options.poison = true;
  args.format = format;
  return args;
}

harness::CheckReport Different() {
  harness::CheckReport check;
  check.difference.emplace();
  check.difference->text = "tensor 3 differs";
  check.bisection.emplace();
  check.bisection->pairs.push_back(
      {3, 5, 64, 96, {}, "3 and 5 share 32 bytes"});
  return check;
}

harness::CheckReport Found() {
  harness::CheckReport check;
  check.finding = absl::DataLossError("read before it was written");
  check.is_without_sharing = true;
  return check;
}

TEST(RunReport, NamesTensorsThatShare) {
  const RunArgs args = ArgsOf(Format::kText);
  const RunReport report = {&args, Different()};
  EXPECT_THAT(RunAnswer(report).ToText({80, false}),
              AllOf(StartsWith("input        net.tflite\n"
                               "check        UNSAFE\n"),
                    HasSubstr("tensor 3 differs"),
                    HasSubstr("3 and 5 share 32 bytes")));
  EXPECT_EQ(UnsafeMessage(report), "net.tflite: unsafe: tensor 3 differs\n");
}

TEST(RunReport, NamesTensorsThatShareInJson) {
  const RunArgs args = ArgsOf(Format::kJson);
  const json check =
      json::parse(RunAnswer(RunReport{&args, Different()}).ToJson())["check"];
  EXPECT_EQ(check["safe"], false);
  EXPECT_EQ(check["compared"], "all");
  EXPECT_EQ(check["poison"], true);
  EXPECT_EQ(check["difference"], "tensor 3 differs");
  EXPECT_EQ(check["sharing"],
            json::array({{{"first_tensor", 3},
                          {"second_tensor", 5},
                          {"begin", 64},
                          {"end", 96},
                          {"text", "3 and 5 share 32 bytes"}}}));
}

TEST(RunReport, ReportsFindingsWithoutSharing) {
  const RunArgs args = ArgsOf(Format::kJson);
  const RunReport report = {&args, Found()};
  const json check = json::parse(RunAnswer(report).ToJson())["check"];
  EXPECT_EQ(check["finding"], "read before it was written");
  EXPECT_EQ(check["without_sharing"], true);
  EXPECT_EQ(UnsafeMessage(report),
            "net.tflite: unsafe: read before it was written\n");
}

class ProfileTest : public ::testing::Test {
 protected:
  ProfileTest() {
    folder_.Write("model", ReadWholeFile(STOWAGE_SOURCE_DIR
                                         "/data/models/residual_int8.tflite"));
  }

  CommandFolder folder_;
};

TEST_F(ProfileTest, HasEveryOperatorAndEveryType) {
  const CommandResult result =
      folder_.Run("stowage run model --invocations 2 --profile");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("\n| 3           | ADD               |    2 |"),
                    HasSubstr("\n| 3 operators | CONV_2D           |    6 |")));
}

TEST_F(ProfileTest, HasEveryOperatorInJson) {
  const CommandResult result =
      folder_.Run("stowage run model --invocations 2 --profile --format json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  std::vector<std::string> operators;
  for (const json& row : document["profile"]) {
    EXPECT_GE(row["total_micros"], row["shortest_micros"]);
    operators.push_back(absl::StrCat(row["operator"].get<int>(), " ",
                                     row["type"].get<std::string>(), " ",
                                     row["runs"].get<int>()));
  }
  EXPECT_THAT(operators,
              ElementsAre("0 CONV_2D 2", "1 DEPTHWISE_CONV_2D 2", "2 CONV_2D 2",
                          "3 ADD 2", "4 CONV_2D 2", "5 AVERAGE_POOL_2D 2",
                          "6 RESHAPE 2", "7 FULLY_CONNECTED 2", "8 SOFTMAX 2"));
}

}  // namespace
}  // namespace stowage::cli
