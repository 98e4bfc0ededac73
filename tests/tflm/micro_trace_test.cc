// SPDX-License-Identifier: Apache-2.0
// Tests which buffers a device plans under the rules `micro`, and when these
// buffers are live.

#include "stowage/tflm/micro_trace.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/model.h"
#include "tests/support/example_model.h"
#include "tests/support/records_csv.h"

namespace stowage {
namespace {

using testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;

// Returns the trace as CSV, or the error message.
std::string MicroCsvOf(const ModelSpec& model,
                       const ModelTraceOptions& options = {}) {
  const absl::StatusOr<ModelTrace> result =
      ParseMicroTrace(Build(model), "m.tflite", options);
  if (!result.ok()) return std::string(result.status().message());
  return support::RecordsCsv(result->problem);
}

// Returns a model with the given graph, whose operator code i is `codes[i]`.
ModelSpec ModelOf(const std::vector<BuiltinOperator>& codes, GraphSpec graph) {
  ModelSpec model;
  for (const BuiltinOperator code : codes) model.codes.push_back({code});
  model.buffers.emplace_back();
  model.graphs.push_back(std::move(graph));
  return model;
}

TensorDraft Bytes(int32_t bytes) { return {{bytes}, TensorType::INT8}; }

template <typename Options>
tflite::BuiltinOptionsUnion OptionsOf(Options options) {
  tflite::BuiltinOptionsUnion result;
  result.Set(std::move(options));
  return result;
}

TEST(MicroTraceTest, InputsLiveToTheirLastUseAndOutputsToTheEnd) {
  // The model is 0 -> RELU -> 1 -> RELU -> 2 with the outputs 1 and 2.
  GraphSpec graph;
  graph.tensors = {Bytes(16), Bytes(17), Bytes(1)};
  graph.inputs = {0};
  graph.outputs = {1, 2};
  graph.operators = {{0, {0}, {1}}, {0, {1}, {2}}};
  EXPECT_EQ(MicroCsvOf(ModelOf({BuiltinOperator::RELU}, graph)),
            "id,lower,upper,size\n"
            "0,0,2,16\n"  // task 0 is before the first operator
            "1,1,3,32\n"
            "2,2,3,16\n");
}

TEST(MicroTraceTest, VariablesAndWhatHasNoBytesAreNotPlanned) {
  GraphSpec graph;
  graph.tensors = {Bytes(16), Bytes(0), Bytes(16), Bytes(16)};
  graph.tensors[2].is_variable = true;
  graph.inputs = {0};
  graph.outputs = {3};
  graph.operators = {{0, {0, 1, 2}, {3}}};
  EXPECT_EQ(MicroCsvOf(ModelOf({BuiltinOperator::ADD_N}, graph)),
            "id,lower,upper,size\n"
            "0,0,2,16\n"
            "3,1,2,16\n"
            "4,1,2,32\n");  // a 64-bit pointer to each input
}

TEST(MicroTraceTest, WhatNoOperatorTouchesHasATaskOfItsOwn) {
  GraphSpec graph;
  graph.tensors = {Bytes(16), Bytes(16), Bytes(48)};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{0, {0}, {1}}};
  EXPECT_EQ(MicroCsvOf(ModelOf({BuiltinOperator::RELU}, graph)),
            "id,lower,upper,size\n"
            "0,0,2,16\n"
            "1,1,2,16\n"
            "2,2,3,48\n");
}

TEST(MicroTraceTest, NothingIsFoldedOrSharedInPlace) {
  // Tensor 2 depends only on a constant. Unlike other rules, `micro` does not
  // leave out such a tensor.
  const absl::StatusOr<ModelTrace> trace =
      ParseMicroTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->folded_tensors, 0);
  EXPECT_EQ(trace->problem.labels.lifetimes, "micro");
}

// Returns a model whose subgraph 0 has three operators: RELU, an operator that
// calls subgraphs, and RELU. CALL_ONCE passes no tensors to its subgraph, and
// IF has a constant condition.
ModelSpec CallingModel(BuiltinOperator code,
                       tflite::BuiltinOptionsUnion options) {
  const bool passes = code != BuiltinOperator::CALL_ONCE;
  GraphSpec main;
  main.tensors = {Bytes(16), Bytes(16), Bytes(16)};
  main.inputs = {0};
  main.outputs = {2};
  main.operators = {{0, {0}, {1}}, {1, {}, {}}, {0, {1}, {2}}};
  if (passes) {
    main.tensors.push_back(Bytes(16));
    main.outputs = {3};
    main.operators = {{0, {0}, {1}}, {1, {1}, {2}}, {0, {2}, {3}}};
  }
  ModelSpec model = ModelOf({BuiltinOperator::RELU, code}, {});
  if (code == BuiltinOperator::IF) {
    model.buffers.push_back({{1}});
    main.tensors.push_back({{1}, TensorType::BOOL, 1});
    main.operators[1].inputs = {4, 1};
  }
  main.operators[1].options = std::move(options);
  model.graphs = {main};
  GraphSpec called;
  called.tensors = {Bytes(16), Bytes(16)};
  called.inputs = {0};
  called.outputs = {1};
  called.operators = {{0, {0}, {1}}};
  model.graphs.push_back(called);
  model.graphs.push_back(called);
  return model;
}

TEST(MicroTraceTest, CalledSubgraphsRunWithinTheirOperator) {
  tflite::IfOptionsT branches;
  branches.then_subgraph_index = 1;
  branches.else_subgraph_index = 2;
  EXPECT_EQ(MicroCsvOf(CallingModel(BuiltinOperator::IF, OptionsOf(branches))),
            "id,lower,upper,size\n"
            "0,0,2,16\n"
            "1,1,7,16\n"  // the IF reads it after both subgraphs
            "2,2,8,16\n"
            "3,7,8,16\n"
            "5,3,5,16\n"  // ids continue through the subgraphs
            "6,4,5,16\n"
            "7,5,7,16\n"
            "8,6,7,16\n");
  tflite::WhileOptionsT loop;
  loop.cond_subgraph_index = 1;
  loop.body_subgraph_index = 2;
  EXPECT_EQ(MicroCsvOf(CallingModel(BuiltinOperator::WHILE, OptionsOf(loop))),
            "id,lower,upper,size\n"
            "0,0,2,16\n"
            "1,1,7,16\n"
            "2,2,8,16\n"
            "3,7,8,16\n"
            "4,3,5,16\n"
            "5,4,5,16\n"
            "6,5,7,16\n"
            "7,6,7,16\n");
}

TEST(MicroTraceTest, WhatIsNeverCalledIsPlannedAfterAllElse) {
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 2;
  EXPECT_EQ(
      MicroCsvOf(CallingModel(BuiltinOperator::CALL_ONCE, OptionsOf(once))),
      "id,lower,upper,size\n"
      "0,0,2,16\n"
      "1,1,6,16\n"
      "2,5,6,16\n"
      "3,6,7,16\n"
      "4,6,7,16\n"
      "5,3,5,16\n"
      "6,4,5,16\n");
}

// The graph is 0 -> RELU -> 1 -> RELU -> 2 -> RELU -> 3. Tensor 2 is used once,
// before the end of the run.
TEST(MicroTraceTest, InputsAndOutputsAreHeldForTheWholeRunOnRequest) {
  GraphSpec graph;
  graph.tensors = {Bytes(16), Bytes(16), Bytes(16), Bytes(16)};
  graph.inputs = {0};
  graph.outputs = {1, 3};
  graph.operators = {{0, {0}, {1}}, {0, {1}, {2}}, {0, {2}, {3}}};
  const ModelSpec model = ModelOf({BuiltinOperator::RELU}, graph);
  ModelTraceOptions options;
  const char* const used =
      "id,lower,upper,size\n"
      "0,0,2,16\n"
      "1,1,4,16\n"
      "2,2,4,16\n"
      "3,3,4,16\n";
  EXPECT_EQ(MicroCsvOf(model, options), used);
  options.io_lifetime = IoLifetime::kUse;
  EXPECT_EQ(MicroCsvOf(model, options), used);
  options.io_lifetime = IoLifetime::kKeep;
  EXPECT_EQ(MicroCsvOf(model, options),
            "id,lower,upper,size\n"
            "0,0,4,16\n"
            "1,0,4,16\n"
            "2,2,4,16\n"
            "3,0,4,16\n");
}

TEST(MicroTraceTest, CallsThatCannotBeAreRefused) {
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 0;
  EXPECT_EQ(
      MicroCsvOf(CallingModel(BuiltinOperator::CALL_ONCE, OptionsOf(once))),
      "m.tflite: subgraph 0, operator 1 (CALL_ONCE): it calls subgraph "
      "0, which is running; expected another");
  once.init_subgraph_index = 3;
  EXPECT_EQ(
      MicroCsvOf(CallingModel(BuiltinOperator::CALL_ONCE, OptionsOf(once))),
      "m.tflite: subgraph 0, operator 1 (CALL_ONCE): it calls subgraph "
      "3; expected an index below 3");
  once.init_subgraph_index = -1;
  EXPECT_THAT(
      MicroCsvOf(CallingModel(BuiltinOperator::CALL_ONCE, OptionsOf(once))),
      HasSubstr("it calls subgraph -1; expected an index below 3"));
}

TEST(MicroTraceTest, CallsThatMultiplyAreRefused) {
  // Each subgraph calls the next one twice, so each subgraph doubles the number
  // of tasks.
  ModelSpec model = CallingModel(BuiltinOperator::RELU, {});
  model.codes.push_back({BuiltinOperator::CALL_ONCE});
  model.graphs.clear();
  constexpr int32_t kGraphs = 40;
  for (int32_t g = 0; g < kGraphs; ++g) {
    GraphSpec graph;
    graph.operators = {{2, {}, {}}, {2, {}, {}}};
    tflite::CallOnceOptionsT once;
    once.init_subgraph_index = g + 1;
    for (OperatorDraft& op : graph.operators) op.options = OptionsOf(once);
    if (g + 1 == kGraphs) graph.operators.clear();
    model.graphs.push_back(graph);
  }
  EXPECT_THAT(MicroCsvOf(model),
              HasSubstr("the model runs more than 16777216"));
}

TEST(MicroTraceTest, CallsThatNestDeepAreRefused) {
  ModelSpec model = CallingModel(BuiltinOperator::CALL_ONCE, {});
  model.graphs.clear();
  constexpr int32_t kGraphs = 1000;
  for (int32_t g = 0; g < kGraphs; ++g) {
    GraphSpec graph;
    graph.operators = {{1, {}, {}}};
    tflite::CallOnceOptionsT once;
    once.init_subgraph_index = (g + 1) % kGraphs;
    graph.operators[0].options = OptionsOf(once);
    model.graphs.push_back(graph);
  }
  EXPECT_EQ(MicroCsvOf(model),
            "m.tflite: subgraph 63, operator 0 (CALL_ONCE): it calls subgraph "
            "64 within 64 others; expected fewer than 64");
}

// Returns the sizes of the scratch memory that the operator requests.
std::vector<size_t> ScratchOf(const ModelSpec& model,
                              MicroWord word = MicroWord::k64) {
  const std::string bytes = Build(model);
  const auto parsed = Model::Parse(bytes, "m.tflite");
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const auto buffers = MicroBuffersOf(**parsed, word);
  EXPECT_TRUE(buffers.ok()) << buffers.status();
  std::vector<size_t> sizes;
  for (const MicroBuffer& buffer : *buffers) {
    if (buffer.tensor != kAbsent) continue;
    EXPECT_EQ(buffer.op, 0);
    EXPECT_EQ(buffer.record.first_task, 1);
    EXPECT_EQ(buffer.record.last_task, 1);
    sizes.push_back(buffer.record.tensor_size);
  }
  return sizes;
}

TEST(MicroTraceTest, ReductionsAskForIndicesAndSums) {
  GraphSpec graph;
  graph.tensors = {{{1, 4, 4, 10}, TensorType::INT8},
                   {{2}, TensorType::INT32},
                   {{1, 10}, TensorType::INT8}};
  graph.inputs = {0, 1};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::MEAN}, graph)),
              testing::ElementsAre(48, 16, 16));
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::REDUCE_MAX}, graph)),
              testing::ElementsAre(16, 16));
  graph.tensors[0].type = graph.tensors[2].type = TensorType::FLOAT32;
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::SUM}, graph)),
              testing::ElementsAre(16, 16));
}

TEST(MicroTraceTest, TransposedConvolutionsAskForSums) {
  GraphSpec graph;
  graph.tensors = {{{4}, TensorType::INT32},
                   {{5, 3, 3, 2}, TensorType::INT8},
                   {{1, 2, 2, 2}, TensorType::INT8},
                   {{1, 4, 4, 5}, TensorType::INT8},
                   {{5}, TensorType::INT16}};
  graph.inputs = {0, 1, 2, 4};
  graph.outputs = {3};
  graph.operators = {{0, {0, 1, 2, 4}, {3}}};
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::TRANSPOSE_CONV}, graph)),
              testing::ElementsAre(320));
  graph.tensors[2].type = graph.tensors[3].type = TensorType::INT16;
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::TRANSPOSE_CONV}, graph)),
              testing::ElementsAre(640, 48));
}

TEST(MicroTraceTest, FiltersOfNibblesAreUnpacked) {
  GraphSpec graph;
  graph.tensors = {{{1, 8}, TensorType::INT8},
                   {{5, 8}, TensorType::INT4},
                   {{1, 5}, TensorType::INT8}};
  graph.inputs = {0, 1};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  EXPECT_THAT(ScratchOf(ModelOf({BuiltinOperator::FULLY_CONNECTED}, graph)),
              testing::ElementsAre(48));
}

TEST(MicroTraceTest, AddNAsksForPointersOfTheDevice) {
  GraphSpec graph;
  graph.tensors = {Bytes(1), Bytes(1), Bytes(1), Bytes(1)};
  graph.inputs = {0, 1, 2};
  graph.outputs = {3};
  graph.operators = {{0, {0, 1, 2}, {3}}};
  const ModelSpec model = ModelOf({BuiltinOperator::ADD_N}, graph);
  EXPECT_THAT(ScratchOf(model, MicroWord::k64), testing::ElementsAre(32));
  EXPECT_THAT(ScratchOf(model, MicroWord::k32), testing::ElementsAre(16));
}

TEST(MicroTraceTest, DetectionsAskForElevenLists) {
  GraphSpec graph;
  graph.tensors = {{{1, 20, 4}}, {{1, 20, 3}}, {{20, 4}}, {{1, 10, 4}},
                   {{1, 10}},    {{1, 10}},    {{1}}};
  graph.inputs = {0, 1, 2};
  graph.outputs = {3, 4, 5, 6};
  graph.operators = {{0, {0, 1, 2}, {3, 4, 5, 6}}};
  flexbuffers::Builder options;
  options.Map([&] {
    options.Int("max_detections", 10);
    options.Int("num_classes", 2);
  });
  options.Finish();
  graph.operators[0].custom_options = options.GetBuffer();
  ModelSpec model = ModelOf({BuiltinOperator::CUSTOM}, graph);
  model.codes[0].custom_code = "TFLite_Detection_PostProcess";
  EXPECT_THAT(ScratchOf(model), testing::ElementsAre(32, 320, 240, 80, 80, 800,
                                                     800, 80, 800, 800, 800));
  // The kernel would refuse options that are not a map.
  model.graphs[0].operators[0].custom_options = {1, 2, 3};
  EXPECT_THAT(ScratchOf(model), testing::IsEmpty());
}

TEST(MicroTraceTest, OptionsThatDoNotApplyAreRefused) {
  ModelTraceOptions options;
  options.subgraph = 1;
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  const ModelSpec model =
      CallingModel(BuiltinOperator::CALL_ONCE, OptionsOf(once));
  EXPECT_EQ(MicroCsvOf(model, options),
            "m.tflite: subgraph 1: under the rules micro it is planned with "
            "the first; expected 0");
  options.subgraph = 3;
  EXPECT_EQ(MicroCsvOf(model, options),
            "m.tflite: no subgraph 3; expected an index below 3");
  options.subgraph = 0;
  options.tensor_alignment = 24;
  EXPECT_EQ(MicroCsvOf(model, options),
            "tensor alignment 24; expected a power of two");
}

TEST(MicroTraceTest, TensorAlignmentRoundsFurther) {
  GraphSpec graph;
  graph.tensors = {Bytes(16), Bytes(65)};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{0, {0}, {1}}};
  ModelTraceOptions options;
  options.tensor_alignment = 64;
  EXPECT_EQ(MicroCsvOf(ModelOf({BuiltinOperator::RELU}, graph), options),
            "id,lower,upper,size\n"
            "0,0,2,64\n"
            "1,1,2,128\n");
}

}  // namespace
}  // namespace stowage
