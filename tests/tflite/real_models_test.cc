// SPDX-License-Identifier: Apache-2.0
// Tests the traces of real models. They must equal the traces that another
// program made from the same models.

#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/real_data.h"
#include "tests/support/records_csv.h"

namespace stowage {
namespace {

using support::FilesIn;
using support::RealDataFolder;

std::string ContentsOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

std::string ModelName(absl::string_view path) {
  return std::string(
      absl::StripSuffix(path.substr(path.rfind('/') + 1), ".tflite"));
}

class RealModelsTest : public testing::Test {
 protected:
  void SetUp() override {
    models_ = RealDataFolder("STOWAGE_MODELS");
    traces_ = RealDataFolder("STOWAGE_TRACES");
    if (!models_) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    if (!traces_) GTEST_SKIP() << "STOWAGE_TRACES is not set";
    paths_ = FilesIn(*models_, ".tflite");
    ASSERT_FALSE(paths_.empty());
  }

  // Returns the trace that the other program made, or an empty string if there
  // is none.
  std::string Expected(const std::string& name, absl::string_view ending) {
    const std::string path = absl::StrCat(*traces_, "/models/", name, ending);
    return std::ifstream(path) ? ContentsOf(path) : "";
  }

  absl::optional<std::string> models_;
  absl::optional<std::string> traces_;
  std::vector<std::string> paths_;
};

std::string TraceOf(const std::string& path, const ModelTraceOptions& options) {
  const absl::StatusOr<ModelTrace> trace = ReadModelTrace(path, options);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? support::RecordsCsv(trace->problem) : "";
}

TEST_F(RealModelsTest, TracesAreByteForByteThoseExpected) {
  for (const std::string& path : paths_) {
    const std::string name = ModelName(path);
    SCOPED_TRACE(name);
    ModelTraceOptions options;
    EXPECT_EQ(TraceOf(path, options), Expected(name, ".csv"));
    options.include_io = true;
    EXPECT_EQ(TraceOf(path, options), Expected(name, ".io.csv"));
  }
}

TEST_F(RealModelsTest, SubgraphsBeyondTheFirstCanBeRead) {
  size_t read = 0;
  for (const std::string& path : paths_) {
    SCOPED_TRACE(path);
    const size_t count = ReadModelTrace(path).value().subgraph_count;
    for (size_t i = 1; i < count; ++i, ++read) {
      ModelTraceOptions options;
      options.subgraph = i;
      const std::string expected =
          Expected(ModelName(path), absl::StrCat(".sg", i, ".csv"));
      const std::string actual = TraceOf(path, options);
      // The other program writes no file for a subgraph with nothing to plan.
      EXPECT_EQ(actual, expected.empty() ? "id,lower,upper,size\n" : expected);
    }
  }
  EXPECT_GT(read, 0);
}

TEST_F(RealModelsTest, BoundsAreThoseExpected) {
  const nlohmann::json analysis = nlohmann::json::parse(
      ContentsOf(absl::StrCat(*traces_, "/models/analysis.json")));
  std::set<std::string> checked;
  for (const nlohmann::json& model : analysis) {
    const std::string name = model["name"];
    const std::string path = absl::StrCat(*models_, "/", name, ".tflite");
    if (!std::ifstream(path)) continue;  // only the trace is there
    SCOPED_TRACE(name);
    ModelTraceOptions options;
    const ModelTrace trace = ReadModelTrace(path, options).value();
    EXPECT_EQ(trace.subgraph_count, model["subgraphs"]);
    EXPECT_EQ(trace.operator_count, model["n_ops"]);
    EXPECT_EQ(trace.folded_bytes, model["folded_bytes"]);
    EXPECT_EQ(NaiveSize(trace.problem.records), model["naive"]);
    EXPECT_EQ(OffsetsLowerBound(trace.problem.records), model["max_load"]);
    EXPECT_EQ(ObjectsLowerBound(trace.problem.records), model["so_lb"]);
    options.include_io = true;
    const ProblemSpec io = ReadModelTrace(path, options).value().problem;
    EXPECT_EQ(NaiveSize(io.records), model["io_naive"]);
    EXPECT_EQ(OffsetsLowerBound(io.records), model["io_max_load"]);
    checked.insert(name);
  }
  EXPECT_EQ(checked.size(), paths_.size());
}

TEST_F(RealModelsTest, FoldedBytesAreThoseOfTheManifest) {
  const std::vector<std::string> lines =
      absl::StrSplit(ContentsOf(absl::StrCat(*models_, "/MANIFEST.tsv")), '\n',
                     absl::SkipEmpty());
  const std::vector<std::string> columns = absl::StrSplit(lines[0], '\t');
  size_t checked = 0;
  for (size_t i = 1; i < lines.size(); ++i, ++checked) {
    const std::vector<std::string> row = absl::StrSplit(lines[i], '\t');
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] != "folded_const_bytes") continue;
      const std::string path = absl::StrCat(*models_, "/", row[0], ".tflite");
      EXPECT_EQ(absl::StrCat(ReadModelTrace(path).value().folded_bytes), row[c])
          << path;
    }
  }
  EXPECT_EQ(checked, paths_.size());
}

// The recorded traces in this format come from other programs. When they are
// read and written back, every byte must be the same.
TEST_F(RealModelsTest, RecordedTracesSurviveARoundTrip) {
  const std::vector<std::string> paths = FilesIn(*traces_, ".csv");
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const absl::StatusOr<ProblemFile> trace =
        ReadProblemFile(path, {{}, {ModelFormat()}});
    ASSERT_TRUE(trace.ok()) << trace.status();
    const absl::StatusOr<std::string> csv = FormatProblemCsv(*trace);
    ASSERT_TRUE(csv.ok()) << csv.status();
    EXPECT_TRUE(*csv == ContentsOf(path));
  }
}

}  // namespace
}  // namespace stowage
