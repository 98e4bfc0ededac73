// SPDX-License-Identifier: Apache-2.0
// Tests that JSON output is exactly one valid document, for any names and
// numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stowage/harness/delegates.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

constexpr char kThreeRecords[] =
    "id,lower,upper,size\na,0,2,4\nb,1,3,8\nc,2,3,4\n";

Json RunJson(const CommandFolder& folder, const std::string& command) {
  const CommandResult result = folder.Run(command + " --format json");
  Json document = Json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(document.is_discarded()) << result.out << result.err;
  return document;
}

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(PlanJson, HasTheKeysOfTheContract) {
  const CommandFolder folder;
  folder.Write("x.csv", kThreeRecords);
  for (const Strategy* strategy : AllStrategies()) {
    const std::string& name = strategy->info().name;
    const std::string plan =
        absl::StrCat("stowage plan x.csv --strategy ", name, " --kind ");
    SCOPED_TRACE(name);
    if (strategy->info().features.Has(Feature::kOffsets)) {
      const Json answer = RunJson(folder, plan + "offsets");
      EXPECT_THAT(
          Keys(answer),
          ElementsAre("input", "strategy", "kind", "status", "total_size",
                      "found_by", "lower_bound", "bound_proved_by",
                      "naive_size", "records", "offsets", "plan_micros"));
      EXPECT_EQ(answer["bound_proved_by"], "bytes live at task 1");
      EXPECT_EQ(answer["strategy"], name);
      EXPECT_EQ(answer["lower_bound"], 12);
      EXPECT_EQ(answer["offsets"].size(), 3U);
      EXPECT_GE(answer["plan_micros"], 0);
    }
    if (strategy->info().features.Has(Feature::kObjects)) {
      const Json answer = RunJson(folder, plan + "objects");
      EXPECT_THAT(Keys(answer),
                  ElementsAre("input", "strategy", "kind", "status",
                              "total_size", "found_by", "lower_bound",
                              "bound_proved_by", "naive_size", "records",
                              "object_ids", "object_sizes", "plan_micros"));
      EXPECT_EQ(answer["bound_proved_by"], "positional maximums");
      EXPECT_EQ(answer["object_ids"].size(), 3U);
    }
  }
}

TEST(CompareJson, HasTheKeysOfTheContractAndEverySupportingStrategy) {
  const CommandFolder folder;
  folder.Write("x.csv", kThreeRecords);
  const Json answer = RunJson(folder, "stowage compare x.csv --kind both");
  EXPECT_THAT(Keys(answer), ElementsAre("search", "rows"));
  ASSERT_EQ(answer["rows"].size(), 1U);
  const Json& row = answer["rows"][0];
  EXPECT_THAT(Keys(row), ElementsAre("input", "records", "naive_size",
                                     "lower_bound", "plans"));
  EXPECT_THAT(Keys(row["lower_bound"]), ElementsAre("offsets", "objects"));
  std::vector<std::string> expected;
  for (const char* kind : {"offsets", "objects"}) {
    for (const Strategy* strategy : AllStrategies()) {
      const StrategyInfo& info = strategy->info();
      if (kind == std::string("offsets")
              ? info.features.Has(Feature::kOffsets)
              : info.features.Has(Feature::kObjects)) {
        expected.push_back(info.name + " " + kind);
      }
    }
  }
  std::vector<std::string> found;
  for (const Json& plan : row["plans"]) {
    EXPECT_THAT(Keys(plan), ElementsAre("strategy", "kind", "total_size",
                                        "status", "plan_micros"));
    found.push_back(plan["strategy"].get<std::string>() + " " +
                    plan["kind"].get<std::string>());
  }
  EXPECT_EQ(found, expected);
}

// If all strategies are compared, strategies that do not support the kind are
// omitted. If the user names such a strategy, it is reported as unsupported.
TEST(CompareJson, ReportsANamedStrategyAsUnsupported) {
  const CommandFolder folder;
  folder.Write("x.csv", kThreeRecords);
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (info.features.Has(Feature::kObjects)) continue;
    const Json answer =
        RunJson(folder, "stowage compare x.csv --kind objects --strategies " +
                            info.name);
    ASSERT_EQ(answer["rows"][0]["plans"].size(), 1U) << info.name;
    const Json& plan = answer["rows"][0]["plans"][0];
    EXPECT_EQ(plan["strategy"], info.name);
    EXPECT_EQ(plan["status"], "unsupported");
    EXPECT_TRUE(plan["total_size"].is_null());
    EXPECT_TRUE(plan["reason"].is_string());
  }
}

TEST(ListJson, IsTheRegistry) {
  const CommandFolder folder;
  const Json answer = RunJson(folder, "stowage list");
  const std::vector<const Strategy*> strategies = AllStrategies();
  ASSERT_EQ(answer["strategies"].size(), strategies.size());
  for (size_t i = 0; i < strategies.size(); ++i) {
    const StrategyInfo& info = strategies[i]->info();
    const Json& entry = answer["strategies"][i];
    EXPECT_EQ(entry["name"], info.name);
    EXPECT_EQ(entry["summary"], info.summary);
    EXPECT_EQ(entry["complexity"], info.complexity);
    EXPECT_EQ(entry["source"], info.source);
    std::vector<std::string> produces;
    if (info.features.Has(Feature::kOffsets)) produces.emplace_back("offsets");
    if (info.features.Has(Feature::kObjects)) produces.emplace_back("objects");
    EXPECT_EQ(entry["produces"], Json(produces));
  }
}

TEST(ListJson, HasTheDelegates) {
  const CommandFolder folder;
  const Json answer = RunJson(folder, "stowage list --delegates");
  const std::vector<harness::DelegateRegistration> delegates =
      harness::AllDelegates();
  ASSERT_GE(delegates.size(), 1U);
  ASSERT_EQ(answer["delegates"].size(), delegates.size());
  for (size_t i = 0; i < delegates.size(); ++i) {
    const Json& entry = answer["delegates"][i];
    EXPECT_EQ(entry["name"], delegates[i].name);
    EXPECT_EQ(entry["summary"], delegates[i].summary);
    EXPECT_EQ(entry["options"], delegates[i].options);
    EXPECT_EQ(entry["usable"], !entry.contains("why_unusable"));
  }
}

TEST(Json, NumbersAbove2To53AreExact) {
  const CommandFolder folder;
  folder.Write("big.csv",
               "id,lower,upper,size\n"
               "a,0,1,9007199254740993\n"
               "b,18446744073709551613,18446744073709551615,7\n");
  const CommandResult result =
      folder.Run("stowage plan big.csv --strategy naive --format json");
  EXPECT_THAT(result.out, testing::HasSubstr("9007199254741000"));
  EXPECT_THAT(result.out, testing::HasSubstr("[0,9007199254740993]"));
}

// A path may consist of any bytes, but JSON must be UTF-8.
TEST(Json, IsValidWhateverThePathIs) {
  for (const char* name : {"quote\"back\\slash.csv", "\xFFno-utf8\xC3.csv",
                           "line\nend\ttab.csv", "\xE2\x82\xAC.csv"}) {
    SCOPED_TRACE(name);
    const CommandFolder folder;
    folder.Write(name, kThreeRecords);
    // Lets the command find the file in its folder, so that the name need not
    // be quoted for the shell.
    const Json answer = RunJson(folder, "stowage compare .");
    ASSERT_TRUE(answer.is_object());
    EXPECT_EQ(answer["rows"].size(), 1U);
  }
}

TEST(Json, KeepsOddIds) {
  const CommandFolder folder;
  folder.Write(
      "x.csv",
      "id,lower,upper,size\n\"a, \"\"b\"\"\\\",0,1,4\n\xE2\x82\xAC,0,1,4\n");
  const Json answer = RunJson(folder, "stowage bounds x.csv");
  ASSERT_TRUE(answer.is_object());
  EXPECT_EQ(answer["peak_tensors"][0]["id"], "a, \"b\"\\");
  EXPECT_EQ(answer["peak_tensors"][1]["id"], "\xE2\x82\xAC");
}

}  // namespace
}  // namespace stowage::cli
