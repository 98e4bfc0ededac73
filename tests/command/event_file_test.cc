// SPDX-License-Identifier: Apache-2.0
// Tests the option --perfetto of plan, report and run, which writes a file of
// events. For tests of the content of the file, see tests/views.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kRecordedModel[] =
    STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite";

// Returns the events in the file that have an argument with this key.
json EventsWith(const CommandFolder& folder, const std::string& name,
                const std::string& key) {
  json events = json::array();
  const json document = json::parse(folder.Read(name));
  for (const json& event : document.at("traceEvents")) {
    if (event.at("ph") == "X" &&
        event.value("args", json::object()).contains(key)) {
      events.push_back(event);
    }
  }
  return events;
}

TEST(EventFile, IsWrittenBesideThePlan) {
  const CommandFolder folder;
  folder.Write("two.csv", kTwoRecords);
  const CommandResult plan = folder.Run(
      "stowage plan two.csv --strategy naive --perfetto p.json -o plan.csv");
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(plan.err, "");
  EXPECT_EQ(folder.List(), "p.json plan.csv two.csv");
  const json slices = EventsWith(folder, "p.json", "id");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["args"]["id"], "a");
  EXPECT_EQ(slices[0]["dur"], 2);
}

TEST(EventFile, IsWrittenOfPlanFiles) {
  const CommandFolder folder;
  folder.Write("two.csv", kTwoRecords);
  folder.Run("stowage plan two.csv --strategy naive -o plan.csv");
  const CommandResult report = folder.Run(
      "stowage report plan.csv plan.csv --perfetto p.json --lanes 1");
  EXPECT_EQ(report.exit_code, 0) << report.err;
  // Only the larger tensor of each plan has a lane.
  const json slices = EventsWith(folder, "p.json", "id");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["args"]["id"], "b");
  EXPECT_NE(slices[0]["pid"], slices[1]["pid"]);
}

TEST(EventFile, IsProtobufByItsName) {
  const CommandFolder folder;
  folder.Write("two.csv", kTwoRecords);
  folder.Run("stowage plan two.csv --strategy naive --perfetto p.pftrace");
  EXPECT_TRUE(absl::StartsWith(folder.Read("p.pftrace"), "\n"));
}

TEST(EventFile, HasTheTimesOfARun) {
  const CommandFolder folder;
  const CommandResult run = folder.Run(
      absl::StrCat("stowage run ", kRecordedModel,
                   " --profile --perfetto run.json --strategy greedy_by_size "
                   "--invocations 2 --format json"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json report = json::parse(run.out);
  const json tasks = EventsWith(folder, "run.json", "task");
  ASSERT_EQ(tasks.size(), report["profile"].size());
  for (size_t task = 0; task < tasks.size(); ++task) {
    EXPECT_EQ(tasks[task]["name"], report["profile"][task]["type"]);
    const double mean =
        report["profile"][task]["total_micros"].get<double>() / 2;
    EXPECT_NEAR(tasks[task]["dur"].get<double>(), mean, 0.01);
  }
  // The file contains the tensors of the arena. The slice of each tensor ends
  // at the end of the last task that uses the tensor.
  size_t end = 0;
  std::set<std::string> ids;
  for (const json& tensor : EventsWith(folder, "run.json", "id")) {
    const json& args = tensor["args"];
    ids.insert(args["id"].get<std::string>());
    const size_t last = args["last_task"];
    EXPECT_NEAR(
        tensor["ts"].get<double>() + tensor["dur"].get<double>(),
        tasks[last]["ts"].get<double>() + tasks[last]["dur"].get<double>(),
        0.002);
    end = std::max(end,
                   args["offset"].get<size_t>() + args["bytes"].get<size_t>());
  }
  const size_t arena = report["arena_size"];
  EXPECT_LE(end, arena);
  EXPECT_GT(end + 64, arena);
  EXPECT_GT(ids.size(), 3u);
}

TEST(EventFile, IsRefusedWhereItSaysNothing) {
  const CommandFolder folder;
  folder.Write("two.json", "");
  folder.Write("two.csv", kTwoRecords);
  const std::string plan = "stowage plan two.csv --strategy naive ";
  const struct {
    std::string line;
    std::string message;
  } cases[] = {
      {plan + "--perfetto plan.csv", "expected a name that ends in .json"},
      {plan + "--perfetto -", "'-'; expected"},
      {plan + "--lanes 3", "--lanes requires --perfetto"},
      {plan + "--perfetto p.json --lanes 0", "'0'; expected"},
      {plan + "--perfetto p.json -o p.json", "p.json"},
      {absl::StrCat("stowage run ", kRecordedModel, " --perfetto p.json"),
       "--perfetto requires --profile"},
      {absl::StrCat("stowage run ", kRecordedModel,
                    " --profile --streams 2 --perfetto p.json"),
       "--streams excludes --perfetto"},
      {"stowage report two.json --perfetto two.json", "two.json"},
      {"stowage report two.csv", "or --perfetto"},
  };
  for (const auto& [line, message] : cases) {
    const CommandResult result = folder.Run(line);
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_THAT(result.err, HasSubstr(message)) << line;
  }
  EXPECT_EQ(folder.List(), "two.csv two.json");
}

TEST(EventFile, FailsWhereNothingCanBeWritten) {
  const CommandFolder folder;
  folder.Write("two.csv", kTwoRecords);
  const CommandResult plan = folder.Run(
      "mkdir p.json && stowage plan two.csv --strategy naive --perfetto "
      "p.json");
  EXPECT_EQ(plan.exit_code, 3);
  EXPECT_THAT(plan.err, HasSubstr("p.json"));
}

}  // namespace
}  // namespace stowage::cli
