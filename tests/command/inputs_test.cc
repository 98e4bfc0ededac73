// SPDX-License-Identifier: Apache-2.0
// Tests how inputs are listed, read and named in messages.
#include "src/command/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ExpandInput, ListsTracesAndModelsOfAFolderSorted) {
  const CommandFolder folder;
  folder.Run(
      "mkdir -p b/c d.csv; touch b/z.csv b/c/y.tflite a.csv b/x.txt "
      "d.csv/e.csv "
      "b.csv; ln -s .. b/up; ln -s /nowhere b/broken.csv");
  const std::string root = folder.path() + "/desk";
  const absl::StatusOr<std::vector<std::string>> files = ExpandInput(root);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files,
              ElementsAre(root + "/a.csv", root + "/b.csv",
                          root + "/b/broken.csv", root + "/b/c/y.tflite",
                          root + "/b/z.csv", root + "/d.csv/e.csv"));
}

TEST(ExpandInput, RefusesAFolderWithoutAny) {
  const CommandFolder folder;
  folder.Write("notes.txt", "");
  const absl::Status status = ExpandInput(folder.path() + "/desk").status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
}

TEST(ExpandInput, KeepsOtherPaths) {
  for (const char* path : {"-", "", "nosuch.csv", "/dev/null"}) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInput(path);
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_THAT(*files, ElementsAre(path));
  }
}

TEST(DescribeError, NamesRecordsById) {
  ProblemSpec problem;
  problem.names = {"conv1", "conv2"};
  const auto describe = [&problem](std::vector<size_t> records) {
    return DescribeError(
        "x.csv", problem,
        WithRecords(absl::OutOfRangeError("record 1: too large"), records));
  };
  EXPECT_EQ(describe({1}), "x.csv: id 'conv2': record 1: too large");
  EXPECT_EQ(describe({0, 1}),
            "x.csv: id 'conv1', 'conv2': record 1: too large");
  EXPECT_EQ(describe({2}), "x.csv: record 1: too large");
  EXPECT_EQ(describe({}), "x.csv: record 1: too large");
}

TEST(SpecFor, OverridesAlignmentsAndKeepsColumnsThatFixNothing) {
  ProblemSpec asked;
  asked.names = {"a", "b"};
  asked.records = {{8, 0, 1}, {8, 0, 1}};
  asked.alignments = {4, 8};
  asked.fixed_offsets = {absl::nullopt, absl::nullopt};
  ProblemSpec spec = SpecFor(asked, PlanKind::kOffsets);
  EXPECT_THAT(spec.alignments, ElementsAre(4, 8));
  EXPECT_THAT(spec.names, ElementsAre("a", "b"));
  EXPECT_FALSE(HasFixedOffsets(spec));
  asked.fixed_offsets = {64, absl::nullopt};
  spec = SpecFor(asked, PlanKind::kOffsets, 64);
  EXPECT_EQ(spec.alignment, 64);
  EXPECT_TRUE(spec.alignments.empty());
  EXPECT_THAT(spec.fixed_offsets, ElementsAre(64, absl::nullopt));
}

TEST(CheckStandardInput, AllowsItOnce) {
  EXPECT_TRUE(CheckStandardInput({"-", "a.csv"}).ok());
  const absl::Status status = CheckStandardInput({"-", "a.csv", "-"});
  EXPECT_THAT(std::string(status.message()), HasSubstr("once"));
}

}  // namespace
}  // namespace stowage::cli
