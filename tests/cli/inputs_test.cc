// Inputs are found and named.
#include "src/cli/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/trace.h"
#include "tests/cli/command.h"

namespace stowage::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ExpandInput, TakesTheTracesAndModelsOfAFolderSorted) {
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

TEST(ExpandInput, LeavesOtherPathsAlone) {
  for (const char* path : {"-", "", "nosuch.csv", "/dev/null"}) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInput(path);
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_THAT(*files, ElementsAre(path));
  }
}

TEST(DescribeError, CallsRecordsByTheirId) {
  Trace trace;
  trace.ids = {"conv1", "conv2"};
  const auto describe = [&trace](const char* message) {
    return DescribeError("x.csv", trace, absl::OutOfRangeError(message));
  };
  EXPECT_EQ(describe("record 1: its size"),
            "x.csv: record 1 (id 'conv2'): its size");
  EXPECT_EQ(describe("record 2: its size"), "x.csv: record 2: its size");
  EXPECT_EQ(describe("record x"), "x.csv: record x");
  EXPECT_EQ(describe("no memory"), "x.csv: no memory");
}

TEST(CheckStandardInput, AllowsItOnce) {
  EXPECT_TRUE(CheckStandardInput({"-", "a.csv"}).ok());
  const absl::Status status = CheckStandardInput({"-", "a.csv", "-"});
  EXPECT_THAT(std::string(status.message()), HasSubstr("once"));
}

}  // namespace
}  // namespace stowage::cli
