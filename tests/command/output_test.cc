// SPDX-License-Identifier: Apache-2.0
// Tests that the command reports an error if it cannot write its output, and
// that it then keeps the old file unchanged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Returns a trace with a plan file that exceeds the limit of 8 blocks below.
std::string LargeTrace() {
  std::string csv = "id,lower,upper,size\n";
  for (int i = 0; i < 2000; ++i) {
    csv += std::to_string(i) + ",0,1,64\n";
  }
  return csv;
}

// `ulimit -f` limits the size of files, in blocks of 512 bytes. Like a full
// disk, the limit stops a write halfway. A write beyond the limit also raises a
// signal, which would end the command if the command did not handle it.
constexpr char kFullDisk[] = "ulimit -f 8; ";

struct FullOutput {
  const char* name;
  const char* command;
};

class FullStandardOutputTest : public testing::TestWithParam<FullOutput> {};

TEST_P(FullStandardOutputTest, IsExitCode3) {
  const CommandFolder folder;
  folder.Write("in.csv", kTwoRecords);
  folder.Write("model.tflite", ReadWholeFile(STOWAGE_TINY_MODEL));
  for (const char* where : {" > /dev/full", " >&-"}) {
    const CommandResult result =
        folder.Run(std::string(GetParam().command) + where);
    EXPECT_EQ(result.exit_code, 3) << where;
    EXPECT_THAT(result.err, Not(IsEmpty())) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FullStandardOutputTest,
    testing::ValuesIn<FullOutput>({
        {"Version", "stowage --version"},
        {"Help", "stowage plan --help"},
        {"List", "stowage list"},
        {"ListJson", "stowage list --format json"},
        {"ListDelegates", "stowage list --delegates"},
        {"Plan", "stowage plan in.csv --strategy naive"},
        {"PlanFile", "stowage plan in.csv --strategy naive -o -"},
        {"Compare", "stowage compare in.csv"},
        {"Verify",
         "stowage plan in.csv --strategy naive -o - 2> /dev/null | "
         "stowage verify in.csv -"},
        {"Bounds", "stowage bounds in.csv"},
        {"Trace", "stowage trace model.tflite"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Output, ThatCannotBeWrittenChangesNothing) {
  const CommandFolder folder;
  folder.Write("in.csv", LargeTrace());
  folder.Write("plan.csv", "precious");
  const struct {
    std::string before;
    std::string output;
    std::string message;
  } cases[] = {
      {kFullDisk, "plan.csv", "plan.csv: cannot write it: File too large\n"},
      {kFullDisk, "new.csv", "new.csv: cannot write it: File too large\n"},
      {"", "/dev/full", "/dev/full: "},
      {"", "no/plan.csv", "no/plan.csv: "},
  };
  for (const auto& [before, output, message] : cases) {
    SCOPED_TRACE(output);
    const CommandResult result = folder.Run(
        before + "stowage plan in.csv --strategy naive -o " + output);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith(message));
    EXPECT_EQ(folder.Read("plan.csv"), "precious");
    EXPECT_EQ(folder.List(), "in.csv plan.csv");
  }
}

TEST(Output, FullDiskUnderStandardOutput) {
  const CommandFolder folder;
  folder.Write("in.csv", LargeTrace());
  const CommandResult result = folder.Run(
      std::string(kFullDisk) +
      "stowage plan in.csv --strategy naive --format json > plan.json");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "<stdout>: cannot write it: File too large\n");
}

// Like most commands, this command is ended silently by SIGPIPE.
TEST(Output, ClosedPipe) {
  const CommandFolder folder;
  folder.Write("in.csv", LargeTrace());
  const CommandResult result = folder.Run(
      "{ stowage plan in.csv --strategy naive --format json; "
      "echo $? > code; } | true");
  EXPECT_EQ(result.err, "");
  // The exit code is 0 if the pipe accepts the whole output before the reader
  // ends.
  EXPECT_THAT(folder.Read("code"), testing::AnyOf("141\n", "0\n"));
}

TEST(Output, StandardErrorIsEmptyOnSuccess) {
  const CommandFolder folder;
  folder.Write("in.csv", kTwoRecords);
  for (const char* command :
       {"stowage list", "stowage plan in.csv --strategy naive -o plan.csv",
        "stowage verify in.csv plan.csv", "stowage bounds in.csv",
        "stowage compare in.csv in.csv"}) {
    const CommandResult result = folder.Run(command);
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_EQ(result.err, "") << command;
    EXPECT_THAT(result.out, Not(IsEmpty())) << command;
  }
}

}  // namespace
}  // namespace stowage::cli
