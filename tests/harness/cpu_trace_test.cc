// SPDX-License-Identifier: Apache-2.0
// The records of small models under the rules `cpu`. That they are those of the
// interpreter, on all models: one_truth_test.cc.
#include "stowage/harness/cpu_trace.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "src/tflite/model_generated.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;

// sum -> relu in place: one record, under the id of the first. The input and
// the output are in without being asked for.
TEST(CpuTrace, HasWhatSharesInPlaceOnce) {
  const auto trace = ParseCpuTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->trace.lifetimes, "cpu");
  EXPECT_EQ(trace->operator_count, 4u);
  EXPECT_EQ(trace->computed_operators, 0u);
  EXPECT_EQ(trace->folded_tensors, 1u);
  EXPECT_THAT(trace->trace.ids, ElementsAre("0", "3", "4", "5"));
}

// What shares memory has the name of the first, and all that read any of it.
TEST(CpuTrace, SaysWhoWritesAndReadsWhatIsShared) {
  const auto trace = ParseCpuTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->trace.tensors.size(), 4);
  const TensorInfo& sum = trace->trace.tensors[1];
  EXPECT_EQ(sum.name, "sum");
  EXPECT_EQ(sum.type, "float32");
  EXPECT_EQ(sum.shape, "1x4");
  EXPECT_EQ(sum.producer, 1);
  EXPECT_THAT(sum.consumers, ElementsAre(2, 3));
  EXPECT_THAT(trace->trace.operators,
              ElementsAre("DEQUANTIZE", "ADD", "RELU", "MUL"));
}

// The product turns its second factor.
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
  const auto trace = ParseCpuTrace(Build(spec), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->trace.tensors.size(), 4);
  const TensorInfo& turned = trace->trace.tensors[3];
  EXPECT_EQ(turned.name, "temporary of BATCH_MATMUL");
  EXPECT_EQ(turned.type, "float32");
  EXPECT_EQ(turned.shape, "4x3");
  EXPECT_EQ(turned.producer, 0);
  EXPECT_THAT(turned.consumers, ElementsAre(0));
}

TEST(CpuTrace, RefusesWhatThereIsNoOperatorFor) {
  ModelSpec spec = ExampleModel();
  spec.codes[2] = {tflite::BuiltinOperator::CUSTOM, "Unheard"};
  const auto status = ParseCpuTrace(Build(spec), "m.tflite").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("Unheard"));
  EXPECT_TRUE(ParseModelTrace(Build(spec), "m.tflite").ok());
}

TEST(CpuTrace, RefusesASubgraphThatTheModelDoesNotHave) {
  ModelTraceOptions options;
  options.subgraph = 1;
  EXPECT_THAT(ParseCpuTrace(Build(ExampleModel()), "m.tflite", options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "m.tflite: no subgraph 1; expected an index below 1"));
}

}  // namespace
}  // namespace stowage::harness
