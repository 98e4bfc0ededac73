// SPDX-License-Identifier: Apache-2.0
// Tests the output of `stowage record`. For tests of the recordings themselves,
// see tests/recorder/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(RecordTest, LogsAreTraces) {
  const CommandFolder folder;
  folder.Write("numbers", "3\n1\n2\n");
  const CommandResult result =
      folder.Run("stowage record -o new/logs -- sort numbers");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "1\n2\n3\n");
  EXPECT_THAT(result.err, HasSubstr("exit code    0"));
  EXPECT_THAT(result.err, HasSubstr("| sort."));
  const CommandResult bounds = folder.Run("stowage bounds new/logs/sort.*");
  EXPECT_EQ(bounds.exit_code, 0) << bounds.err;
  EXPECT_THAT(bounds.err, HasSubstr("/sort, process "));
  EXPECT_THAT(bounds.out, HasSubstr("lower bound  offsets "));
}

TEST(RecordTest, AFolderThatCannotBeMadeIsNamedWithTheReason) {
  const CommandFolder folder;
  folder.Write("file", "");
  const CommandResult file = folder.Run("stowage record -o file/logs -- true");
  EXPECT_EQ(file.exit_code, 3);
  EXPECT_THAT(file.err, HasSubstr("file/logs: Not a directory; expected a"));
  // On Linux, not even root can create a folder in /sys.
  const CommandResult system =
      folder.Run("stowage record -o /sys/logs -- true");
  EXPECT_EQ(system.exit_code, 3);
  EXPECT_THAT(
      system.err,
      MatchesRegex("(.|\n)*/sys/logs: (Operation not permitted|"
                   "Permission denied|Read-only file system); (.|\n)*"));
}

TEST(RecordTest, EachImageIsListed) {
  const CommandFolder folder;
  const CommandResult result = folder.Run(
      "stowage record -o logs --format json -- "
      "sh -c 'echo a | sort > out; exec awk \"BEGIN { exit 4 }\"'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json answer = json::parse(result.out, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << result.out;
  EXPECT_EQ(answer["exit_code"], 4);
  const json& images = answer["images"];
  ASSERT_GE(images.size(), 3U) << result.out;
  bool has_sort = false;
  for (const json& image : images) {
    has_sort |= image["arguments"] == json({"sort"}) && !image["is_forked"];
    EXPECT_EQ(image["lost_events"], 0);
  }
  EXPECT_TRUE(has_sort);
  EXPECT_GT(images[0]["allocations"], 0);
  // The first and the last image ran in the same process.
  EXPECT_THAT(images.back()["arguments"][0], "awk");
  EXPECT_EQ(images.back()["process"], images[0]["process"]);
}

// The limit leaves space for the header of a log, but for no event.
TEST(RecordTest, LostEventsAreALimitThatWasReached) {
  const CommandFolder folder;
  folder.Write("numbers", "3\n1\n2\n");
  const CommandResult result = folder.Run(
      "stowage record -o logs -- sh -c 'ulimit -f 8; exec sort numbers'");
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_EQ(result.out, "1\n2\n3\n");
  EXPECT_THAT(result.err, HasSubstr(" events are lost; `stowage trace` says"));
  for (const std::string verb : {"bounds", "plan", "trace"}) {
    const CommandResult read =
        folder.Run("stowage " + verb + " logs/sort.* --format json");
    EXPECT_EQ(read.exit_code, 0) << read.err;
    const json answer = json::parse(read.out, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << read.out;
    EXPECT_GT(answer.value("lost_events", 0), 0) << verb;
  }
}

TEST(RecordTest, SignalsReachTheProgram) {
  const CommandFolder folder;
  const CommandResult result = folder.Run(
      "stowage record -o logs -- sh -c 'kill -TERM $PPID; sleep 2; exit 1'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("exit code    143 (Terminated)"));
}

TEST(RecordTest, UsesAreRefusedWhereTheFormatHasNone) {
  const CommandFolder folder;
  folder.Write("mtrace", "= Start\n@ a:[0x1] + 0x10 0x8\n= End\n");
  const CommandResult refused =
      folder.Run("stowage bounds mtrace --uses touches");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("--uses: "));
  EXPECT_THAT(refused.err,
              HasSubstr("(mtrace) has no uses of blocks; expected "));
  EXPECT_EQ(folder.Run("stowage record -o logs -- true").exit_code, 0);
  const CommandResult none =
      folder.Run("stowage bounds logs/true.* --uses touches");
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("block has uses"));
}

TEST(RecordTest, TouchesAreLifetimes) {
  const CommandFolder folder;
  const CommandResult recorded =
      folder.Run("stowage record --touches -o logs -- sort /dev/null");
  if (recorded.exit_code == 3) {
    EXPECT_THAT(recorded.err, HasSubstr("expected Linux 5.11 or later"));
    GTEST_SKIP() << "the system cannot record touches";
  }
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const CommandResult bounds =
      folder.Run("stowage bounds logs/sort.* --uses touches");
  EXPECT_EQ(bounds.exit_code, 0) << bounds.err;
  EXPECT_THAT(bounds.err, HasSubstr(" with uses: "));
}

struct RecordErrorCase {
  const char* name;
  const char* line;
  int exit_code;
  const char* error;  // a regular expression
};

class RecordErrorTest : public testing::TestWithParam<RecordErrorCase> {};

TEST_P(RecordErrorTest, IsReportedOnOneLine) {
  const CommandFolder folder;
  folder.Write("file", "");
  const CommandResult result = folder.Run(GetParam().line);
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, MatchesRegex(GetParam().error));
  EXPECT_EQ(folder.List(), "file");
}

TEST(RecordTest, AnErrorKeepsAFolderThatExists) {
  const CommandFolder folder;
  const CommandResult result =
      folder.Run("mkdir logs && stowage record -o logs -- no_such_program");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(folder.List(), "logs");
}

INSTANTIATE_TEST_SUITE_P(
    , RecordErrorTest,
    testing::Values(
        RecordErrorCase{"NoProgram", "stowage record -o logs", 2,
                        "stowage record: no program; expected.*\n"},
        RecordErrorCase{"NoFolder", "stowage record -- true", 2,
                        "stowage record: -o is required.*\n|"
                        "stowage record: --output is required.*\n"},
        RecordErrorCase{"UnknownProgram",
                        "stowage record -o logs -- no_such_program", 3,
                        "no_such_program: not found; expected a program\n"},
        RecordErrorCase{"FolderIsAFile", "stowage record -o file -- true", 3,
                        "file: .*; expected a folder for the logs\n"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace stowage::cli
