// SPDX-License-Identifier: Apache-2.0
// Tests the information about tensors in traces of models, in addition to the
// records: names, types, shapes, and the operators that write and read them.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/support/example_model.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using tflite::BuiltinOperator;
using tflite::TensorType;

// Returns "name: type shape, producer -> consumers" for each record.
std::vector<std::string> InfosOf(const ProblemSpec& problem) {
  std::vector<std::string> texts;
  for (const TensorInfo& info : problem.labels.tensors) {
    texts.push_back(
        absl::StrCat(info.name, ": ", info.type, " ", info.shape, ", ",
                     info.producer ? absl::StrCat(*info.producer) : "", " -> ",
                     absl::StrJoin(info.consumers, " ")));
  }
  return texts;
}

TEST(TensorInfosTest, ArePlainTasks) {
  ModelTraceOptions options;
  options.include_io = true;
  const auto model =
      ParseModelTrace(Build(ExampleModel()), "m.tflite", options);
  ASSERT_THAT(model, support::IsOk());
  EXPECT_THAT(
      InfosOf(model->problem),
      ElementsAre("input: float32 1x4,  -> 1", "sum: float32 1x4, 1 -> 2 3",
                  "relu: float32 1x4, 2 -> 3", "output: float32 1x4, 3 -> "));
  EXPECT_THAT(model->problem.labels.operators,
              ElementsAre("DEQUANTIZE", "ADD", "RELU", "MUL"));
}

// Under the rules `micro`, there is a task before the first operator, which is
// counted in the task numbers.
TEST(TensorInfosTest, AreTasksOfTheRulesMicro) {
  const auto model = ParseMicroTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_THAT(model, support::IsOk());
  EXPECT_THAT(
      InfosOf(model->problem),
      ElementsAre("input: float32 1x4,  -> 2", "scale: float32 4, 1 -> 2",
                  "sum: float32 1x4, 2 -> 3 4", "relu: float32 1x4, 3 -> 4",
                  "output: float32 1x4, 4 -> "));
  EXPECT_THAT(model->problem.labels.operators,
              ElementsAre("", "DEQUANTIZE", "ADD", "RELU", "MUL"));
}

// IF calls subgraph 1, whose beginning is a separate task. The ADD_N in
// subgraph 1 requests scratch memory.
TEST(TensorInfosTest, OfCalledSubgraphsAreTasksOfTheirFirstRun) {
  ModelSpec model;
  model.codes = {{BuiltinOperator::ADD_N}, {BuiltinOperator::IF}};
  model.buffers.emplace_back();
  const auto tensor = [](const char* name) {
    TensorDraft draft = {{16}, TensorType::INT8};
    draft.name = name;
    return draft;
  };
  GraphSpec& main = model.graphs.emplace_back();
  main.tensors = {tensor("condition"), tensor("in"), tensor("out")};
  main.inputs = {0, 1};
  main.outputs = {2};
  main.operators = {{1, {0, 1}, {2}}};
  tflite::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = 1;
  main.operators[0].options.Set(std::move(options));
  GraphSpec branch;
  branch.tensors = {tensor("from"), tensor("to")};
  branch.inputs = {0};
  branch.outputs = {1};
  branch.operators = {{0, {0, 0}, {1}}};
  model.graphs.push_back(branch);
  const auto trace = ParseMicroTrace(Build(model), "m.tflite");
  ASSERT_THAT(trace, support::IsOk());
  // Task 1 is IF, task 2 is the beginning of the branch, and task 3 is the
  // ADD_N of the branch.
  EXPECT_THAT(
      InfosOf(trace->problem),
      ElementsAre("condition: int8 16,  -> 1", "in: int8 16,  -> 1",
                  "out: int8 16, 1 -> ", "from: int8 16,  -> 3",
                  "to: int8 16, 3 -> ", "temporary of ADD_N:  , 3 -> 3"));
  EXPECT_THAT(trace->problem.labels.operators,
              ElementsAre("", "IF", "", "ADD_N"));
}

struct ShapeTextCase {
  const char* name;
  std::vector<int32_t> shape;
  std::vector<int32_t> signature;
  const char* text;
};

TEST(TensorInfosTest, ShapesHaveOpenExtents) {
  const ShapeTextCase cases[] = {
      {"known", {1, 8, 3}, {}, "1x8x3"},
      {"open batch", {1, 8, 3}, {-1, 8, 3}, "?x8x3"},
      {"scalar", {}, {}, "1"},
      {"signature of another rank", {1, 8}, {-1}, "1x8"},
  };
  for (const ShapeTextCase& c : cases) {
    SCOPED_TRACE(c.name);
    ModelSpec model = ExampleModel();
    model.graphs[0].tensors[3].shape = c.shape;
    model.graphs[0].tensors[3].shape_signature = c.signature;
    const auto trace = ParseModelTrace(Build(model), "m.tflite");
    ASSERT_THAT(trace, support::IsOk());
    EXPECT_EQ(trace->problem.labels.tensors[0].shape, c.text);
  }
}

TEST(TensorInfosTest, NamesAreTheBytesOfTheModel) {
  ModelSpec model = ExampleModel();
  const std::string name("\xFF</script>\n\0,\"", 14);
  model.graphs[0].tensors[3].name = name;
  model.codes[2] = {BuiltinOperator::CUSTOM, "|\x1b"};
  const auto trace = ParseModelTrace(Build(model), "m.tflite");
  ASSERT_THAT(trace, support::IsOk());
  EXPECT_EQ(trace->problem.labels.tensors[0].name, name);
  EXPECT_EQ(trace->problem.labels.operators[2], "|\x1b");
  const auto csv = FormatProblemCsv({trace->problem});
  ASSERT_THAT(csv, support::IsOk());
  EXPECT_THAT(ParseProblemCsv(*csv, "t.csv"), support::IsOk());
}

// A record that is not a graph input or output is live from the task that
// writes its tensor to the last task that reads it.
TEST(TensorInfosTest, OfRealModelsAreThoseOfTheirRecords) {
  std::vector<std::string> paths =
      support::FilesIn(STOWAGE_SOURCE_DIR "/data/models", ".tflite");
  if (const auto models = support::RealDataFolder("STOWAGE_MODELS")) {
    for (std::string& path : support::FilesIn(*models, ".tflite")) {
      paths.push_back(std::move(path));
    }
  }
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    for (const size_t streams : {size_t{0}, size_t{2}}) {
      ModelTraceOptions options;
      options.streams = streams;
      const auto model = ReadModelTrace(path, options);
      ASSERT_THAT(model, support::IsOk());
      const ProblemSpec& problem = model->problem;
      ASSERT_EQ(problem.labels.tensors.size(), problem.records.size());
      EXPECT_EQ(problem.labels.operators.size(), model->operator_count);
      for (size_t i = 0; i < problem.records.size(); ++i) {
        const TensorInfo& info = problem.labels.tensors[i];
        EXPECT_NE(info.type, "");
        EXPECT_NE(info.shape, "");
        EXPECT_EQ(info.producer, problem.records[i].first_task);
        EXPECT_EQ(
            info.consumers.empty() ? *info.producer : info.consumers.back(),
            problem.records[i].last_task);
        EXPECT_EQ(info.consumers.size(), problem.labels.readers[i]);
      }
    }
  }
}

}  // namespace
}  // namespace stowage
