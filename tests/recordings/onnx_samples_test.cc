// SPDX-License-Identifier: Apache-2.0
// Compares the records of real ONNX models with the expected records.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"

namespace stowage::recordings {
namespace {

// Returns the name of a file without its folder and extension.
std::string OnnxStem(const std::string& path) {
  const size_t slash = path.rfind('/') + 1;
  return path.substr(slash, path.rfind('.') - slash);
}

// Returns options for a model with open dimensions, which get the extents that
// the expected rows assume.
RecordingOptions OnnxOptionsOf(const std::string& stem) {
  RecordingOptions options;
  if (stem == "tract_keras") options.default_dim = 1;
  if (stem == "silero_16k_op15")
    options.dims = {{"batch", 1}, {"sequence", 512}};
  return options;
}

std::string OnnxRowOf(const ProblemSpec& problem, size_t i) {
  const auto& record = problem.records[i];
  const TensorInfo& info = problem.labels.tensors[i];
  return absl::StrCat(info.name, ",", record.tensor_size, ",",
                      record.first_task, ",", record.last_task, ",",
                      absl::AsciiStrToUpper(info.type), ",", info.shape);
}

// Expects that every expected record exists and is equal, in the same order.
// Each additional record must be a value whose size is unknown in the expected
// rows.
void ExpectOnnxRows(const std::vector<ExpectedRow>& expected,
                    const ProblemSpec& problem) {
  size_t next = 0;
  for (const ExpectedRow& row : expected) {
    const std::string kind = row.Text("class");
    if (kind != "record" && kind != "unknown") continue;
    const bool is_there = next < problem.records.size() &&
                          problem.labels.tensors[next].name == row.Text("name");
    if (kind == "unknown") {
      if (!is_there) continue;
      EXPECT_EQ(problem.records[next].first_task, row.Number("first_task"));
      EXPECT_EQ(problem.records[next].last_task, row.Number("last_task"));
    } else {
      ASSERT_TRUE(is_there) << row.Text("name");
      EXPECT_EQ(OnnxRowOf(problem, next),
                absl::StrCat(row.Text("name"), ",", row.Text("size"), ",",
                             row.Text("first_task"), ",", row.Text("last_task"),
                             ",", row.Text("type"), ",", row.Text("shape")));
    }
    ++next;
  }
  EXPECT_EQ(next, problem.records.size());
}

TEST(OnnxSamplesTest, GiveTheExpectedRecords) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  size_t compared = 0;
  for (const std::string& path :
       support::FilesIn(absl::StrCat(*folder, "/onnx"), ".onnx")) {
    SCOPED_TRACE(path);
    const std::string stem = OnnxStem(path);
    const auto expected =
        ReadExpected(*folder, absl::StrCat("onnx__", stem, ".csv"));
    if (!expected) continue;
    const auto recording = ReadRecording(path, OnnxOptionsOf(stem));
    ASSERT_TRUE(recording.ok()) << recording.status();
    ExpectOnnxRows(*expected, recording->parts[0].file.problem);
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

TEST(OnnxSamplesTest, OpenDimensionsAreNamed) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const auto recording =
      ReadRecording(absl::StrCat(*folder, "/onnx/silero_16k_op15.onnx"));
  ASSERT_FALSE(recording.ok());
  EXPECT_NE(std::string(recording.status().message())
                .find("expected --dim batch=N --dim sequence=N"),
            std::string::npos)
      << recording.status();
}

}  // namespace
}  // namespace stowage::recordings
