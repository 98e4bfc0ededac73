// SPDX-License-Identifier: Apache-2.0
// Tests the records of traces under the rules `cpu` with small models. For all
// models, one_truth_test.cc tests that these records equal the records of the
// interpreter.
#include "stowage/harness/cpu_trace.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/shadow.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/example_model.h"
#include "tests/support/records_csv.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;

// The tensors sum and relu share memory in place, so they form one record with
// the id of sum. By default, the input and the output have records, too.
TEST(CpuTrace, HasWhatSharesInPlaceOnce) {
  const auto trace =
      ParseTrace(Build(ExampleModel()), "m.tflite", LifetimeRules::kCpu);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->problem.labels.lifetimes, "cpu");
  EXPECT_EQ(trace->operator_count, 4u);
  EXPECT_EQ(trace->computed_operators, 0u);
  EXPECT_EQ(trace->folded_tensors, 1u);
  EXPECT_THAT(trace->problem.names, ElementsAre("0", "3", "4", "5"));
}

// The record of shared memory has the name of the first tensor in this memory,
// and the consumers of the record are the readers of all tensors in it.
TEST(CpuTrace, SaysWhoWritesAndReadsWhatIsShared) {
  const auto trace =
      ParseTrace(Build(ExampleModel()), "m.tflite", LifetimeRules::kCpu);
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->problem.labels.tensors.size(), 4);
  const TensorInfo& sum = trace->problem.labels.tensors[1];
  EXPECT_EQ(sum.name, "sum");
  EXPECT_EQ(sum.type, "float32");
  EXPECT_EQ(sum.shape, "1x4");
  EXPECT_EQ(sum.producer, 1);
  EXPECT_THAT(sum.consumers, ElementsAre(2, 3));
  EXPECT_THAT(trace->problem.labels.operators,
              ElementsAre("DEQUANTIZE", "ADD", "RELU", "MUL"));
}

// BATCH_MATMUL transposes its second factor into a temporary.
TEST(CpuTrace, NamesTemporariesAfterTheirOperator) {
  ModelSpec spec;
  spec.codes = {{tflite::BuiltinOperator::BATCH_MATMUL}};
  spec.buffers.emplace_back();
  GraphSpec& graph = spec.graphs.emplace_back();
  graph.tensors = {{{2, 3}}, {{3, 4}}, {{2, 4}}};
  graph.inputs = {0, 1};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  graph.operators[0].options.Set(tflite::BatchMatMulOptionsT());
  const auto trace = ParseTrace(Build(spec), "m.tflite", LifetimeRules::kCpu);
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->problem.labels.tensors.size(), 4);
  const TensorInfo& turned = trace->problem.labels.tensors[3];
  EXPECT_EQ(turned.name, "temporary of BATCH_MATMUL");
  EXPECT_EQ(turned.type, "float32");
  EXPECT_EQ(turned.shape, "4x3");
  EXPECT_EQ(turned.producer, 0);
  EXPECT_THAT(turned.consumers, ElementsAre(0));
}

TEST(CpuTrace, RefusesWhatThereIsNoOperatorFor) {
  ModelSpec spec = ExampleModel();
  spec.codes[2] = {tflite::BuiltinOperator::CUSTOM, "Unheard"};
  const auto status =
      ParseTrace(Build(spec), "m.tflite", LifetimeRules::kCpu).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("Unheard"));
  EXPECT_TRUE(ParseModelTrace(Build(spec), "m.tflite").ok());
}

TEST(CpuTrace, RefusesASubgraphThatTheModelDoesNotHave) {
  ModelTraceOptions options;
  options.subgraph = 1;
  EXPECT_THAT(ParseTrace(Build(ExampleModel()), "m.tflite", LifetimeRules::kCpu,
                         options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "m.tflite: no subgraph 1; expected an index below 1"));
}

// Returns the model x -> Unheard -> y -> RELU -> z -> RELU -> w with the
// declared shapes `y` and `z`.
ModelSpec WithUnheard(std::vector<int32_t> y, const std::vector<int32_t>& z) {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::CUSTOM, "Unheard"},
                 {tflite::BuiltinOperator::RELU}};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{1, 16}, tflite::TensorType::FLOAT32, 0, "x"},
                   {std::move(y), tflite::TensorType::FLOAT32, 0, "y"},
                   {z, tflite::TensorType::FLOAT32, 0, "z"},
                   {z, tflite::TensorType::FLOAT32, 0, "w"}};
  graph.inputs = {0};
  graph.outputs = {3};
  graph.operators = {{0, {0}, {1}}, {1, {1}, {2}}, {1, {2}, {3}}};
  return model;
}

// Returns the rows of a trace, followed by the line "1 group" if any records
// are in a group.
std::string RowsOf(ProblemSpec problem) {
  const bool has_group = !problem.constraints.places.empty();
  problem.constraints.places.clear();
  const std::string csv = support::RecordsCsv(std::move(problem));
  return csv.substr(csv.find('\n') + 1) + (has_group ? "1 group\n" : "");
}

struct ShadowCase {
  const char* name;
  ModelSpec model;
  std::vector<GivenShape> shapes;
  Sharing sharing;
  const char* expected;  // rows, or the error
};

// An operator without a kernel never shares memory in place. All other
// operators share memory as they do without shadows.
TEST(CpuTrace, HasOperatorsWithoutAKernelWithShadows) {
  const ShadowCase cases[] = {
      {"shapes as declared",
       WithUnheard({1, 8}, {1, 8}),
       {},
       Sharing::kFixed,
       "0,0,3,64\n1,0,3,32\n3,2,3,32\n"},
      {"nothing shared",
       WithUnheard({1, 8}, {1, 8}),
       {},
       Sharing::kNone,
       "0,0,3,64\n1,0,2,32\n2,1,3,32\n3,2,3,32\n"},
      {"a choice",
       WithUnheard({1, 8}, {1, 8}),
       {},
       Sharing::kGroups,
       "0,0,3,64\n1,0,2,32\n2,1,3,32\n3,2,3,32\n1 group\n"},
      {"a shape by name",
       WithUnheard({}, {}),
       {{"y", {2, 3}}},
       Sharing::kFixed,
       "0,0,3,64\n1,0,3,24\n3,2,3,24\n"},
      {"a shape by number",
       WithUnheard({}, {}),
       {{"1", {2, 3}}},
       Sharing::kFixed,
       "0,0,3,64\n1,0,3,24\n3,2,3,24\n"},
      {"of an input, and of what depends on it",
       WithUnheard({}, {}),
       {{"x", {1, 4}}, {"y", {4}}},
       Sharing::kFixed,
       "0,0,3,16\n1,0,3,16\n3,2,3,16\n"},
      {"what a kernel computes, too",
       WithUnheard({1, 8}, {}),
       {{"z", {1, 8}}},
       Sharing::kFixed,
       "0,0,3,64\n1,0,3,32\n3,2,3,32\n"},
      {"no shape",
       WithUnheard({}, {}),
       {},
       Sharing::kFixed,
       "m: subgraph 0, operator 0 (CUSTOM \"Unheard\"): tensor 1 \"y\": the "
       "shape is not known: in the model it has no rank; expected a shape in "
       "the model, one that is given (InterpreterOptions::shapes; --shape "
       "TENSOR=1x2x3), or a registration with a shadow that sets it"},
      {"not what is computed",
       WithUnheard({1, 8}, {}),
       {{"z", {9}}},
       Sharing::kFixed,
       "m: subgraph 0: tensor 2 \"z\": its operator computes [1, 8], not [9] "
       "as given; expected no given shape, or the computed one"},
      {"no such tensor",
       WithUnheard({1, 8}, {}),
       {{"v", {9}}},
       Sharing::kFixed,
       "m: subgraph 0: shape of 'v': no such tensor; expected an input "
       "(\"x\", or a number from 0), or the name or number of another tensor "
       "below 4"},
      {"given twice",
       WithUnheard({}, {}),
       {{"y", {9}}, {"1", {9}}},
       Sharing::kFixed,
       "m: subgraph 0: shape of '1': tensor 1 \"y\" is given twice; expected "
       "one shape for each tensor"},
  };
  for (const ShadowCase& c : cases) {
    SCOPED_TRACE(c.name);
    ModelTraceOptions options;
    options.sharing = c.sharing;
    const auto trace = ParseTrace(Build(c.model), "m", LifetimeRules::kCpu,
                                  options, {ShadowMode::kMissing, c.shapes});
    if (!trace.ok()) {
      EXPECT_EQ(trace.status().message(), c.expected);
      continue;
    }
    EXPECT_EQ(RowsOf(trace->problem), c.expected);
    EXPECT_EQ(trace->shadowed_operators, 1);
  }
}

TEST(CpuTrace, RefusesTheShapeOfAConstant) {
  EXPECT_THAT(
      ParseTrace(Build(ExampleModel()), "m", LifetimeRules::kCpu, {},
                 {ShadowMode::kMissing, {{"weights", {8}}}})
          .status(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "m: subgraph 0: shape of 'weights': tensor 1 \"weights\" is a "
                "constant, whose shape is fixed by the model; expected an "
                "input, or an output of an operator without a kernel"));
}

}  // namespace
}  // namespace stowage::harness
