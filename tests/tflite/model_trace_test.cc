// SPDX-License-Identifier: Apache-2.0
// Tests how a model is converted to a trace.

#include "stowage/tflite/model_trace.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/example_model.h"
#include "tests/support/records_csv.h"

namespace stowage {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

// Returns the trace as CSV or the error message, both of which are easy to
// compare.
std::string TraceOf(const ModelSpec& model,
                    const ModelTraceOptions& options = {}) {
  const absl::StatusOr<ModelTrace> result =
      ParseModelTrace(Build(model), "m.tflite", options);
  if (!result.ok()) return std::string(result.status().message());
  return support::RecordsCsv(result->problem);
}

TEST(ModelTraceTest, RecordsAreTensorsBetweenOperators) {
  EXPECT_EQ(TraceOf(ExampleModel()),
            "id,lower,upper,size\n"
            "3,1,4,16\n"
            "4,2,4,16\n");
}

TEST(ModelTraceTest, IoLivesFromTheFirstTaskOrToTheLastOperator) {
  ModelSpec model = ExampleModel();
  GraphSpec& graph = model.graphs[0];
  graph.tensors.push_back({{2}, TensorType::INT8, 0, "state", true});
  graph.operators[2].inputs.push_back(6);
  graph.outputs.push_back(3);
  ModelTraceOptions options;
  options.include_io = true;
  EXPECT_EQ(TraceOf(model, options),
            "id,lower,upper,size\n"
            "0,0,4,16\n"  // a graph input
            "3,1,4,16\n"  // a graph output, live from its producer on
            "4,2,4,16\n"
            "5,3,4,16\n"   // a graph output
            "6,0,4,2\n");  // a variable
  options.include_io = false;
  EXPECT_EQ(TraceOf(model, options),
            "id,lower,upper,size\n"
            "4,2,4,16\n");
}

TEST(ModelTraceTest, WhatNobodyReadsLivesAtItsProducer) {
  ModelSpec model = ExampleModel();
  model.graphs[0].tensors.push_back({{3}, TensorType::UINT8});
  model.graphs[0].operators[1].outputs.push_back(6);
  EXPECT_EQ(TraceOf(model),
            "id,lower,upper,size\n"
            "3,1,4,16\n"
            "4,2,4,16\n"
            "6,1,2,3\n");
}

TEST(ModelTraceTest, CountsWhatBecameOfTheRest) {
  const absl::StatusOr<ModelTrace> trace =
      ParseModelTrace(Build(ExampleModel()), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->subgraph_count, 1);
  EXPECT_EQ(trace->operator_count, 4);
  EXPECT_EQ(trace->folded_tensors, 1);
  EXPECT_EQ(trace->folded_bytes, 16);
}

TEST(ModelTraceTest, FoldingGoesThroughChains) {
  ModelSpec model = ExampleModel();
  // The model is now weights -> DENSIFY -> dense -> DEQUANTIZE -> scale.
  model.codes.push_back({BuiltinOperator::DENSIFY, ""});
  GraphSpec& graph = model.graphs[0];
  graph.tensors.push_back({{4}, TensorType::FLOAT16, 0, "dense"});
  graph.operators[0].inputs = {6};
  graph.operators.insert(graph.operators.begin(), {4, {1}, {6}});
  const auto trace = ParseModelTrace(Build(model), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->folded_tensors, 2);
  EXPECT_EQ(trace->folded_bytes, 16 + 8);
  EXPECT_EQ(TraceOf(model),
            "id,lower,upper,size\n"
            "3,2,5,16\n"
            "4,3,5,16\n");
}

TEST(ModelTraceTest, OnlyConstantsAreFolded) {
  ModelSpec model = ExampleModel();
  GraphSpec& graph = model.graphs[0];
  // One DEQUANTIZE reads the result of RELU. The other reads a constant and
  // writes a graph output.
  graph.tensors.push_back({{1, 4}, TensorType::FLOAT32, 0, "computed"});
  graph.operators.push_back({0, {4}, {6}});
  graph.outputs = {2, 5};
  const auto trace = ParseModelTrace(Build(model), "m.tflite");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->folded_tensors, 0);
  EXPECT_THAT(trace->problem.names, testing::ElementsAre("3", "4", "6"));
}

TEST(ModelTraceTest, SubgraphsAreChosenByNumber) {
  ModelSpec model = ExampleModel();
  model.graphs.push_back(model.graphs[0]);
  model.graphs[1].tensors[3].shape = {100};
  ModelTraceOptions options;
  options.subgraph = 1;
  EXPECT_EQ(TraceOf(model, options),
            "id,lower,upper,size\n"
            "3,1,4,400\n"
            "4,2,4,16\n");
  options.subgraph = 2;
  EXPECT_EQ(TraceOf(model, options),
            "m.tflite: no subgraph 2; expected an index below 2");
}

TEST(ModelTraceTest, SizesAreRoundedUp) {
  ModelTraceOptions options;
  options.tensor_alignment = 64;
  const auto trace =
      ParseModelTrace(Build(ExampleModel()), "m.tflite", options);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->problem.records[0].tensor_size, 64);
  EXPECT_EQ(trace->folded_bytes, 64);
  options.tensor_alignment = 48;
  EXPECT_EQ(TraceOf(ExampleModel(), options),
            "tensor alignment 48; expected a power of two");
}

TEST(ModelTraceTest, AGraphWithoutOperatorsHasNoTasks) {
  ModelSpec model = ExampleModel();
  model.graphs[0].operators.clear();
  model.graphs[0].outputs = {0};
  ModelTraceOptions options;
  options.include_io = true;
  EXPECT_EQ(TraceOf(model, options), "id,lower,upper,size\n");
}

// A type, and the size in bytes of a tensor with 7 elements of this type.
struct TypeCase {
  TensorType type;
  size_t bytes;
};

TEST(ModelTraceTest, EveryTypeHasItsSize) {
  const TypeCase cases[] = {
      {TensorType::FLOAT32, 28},    {TensorType::FLOAT16, 14},
      {TensorType::INT32, 28},      {TensorType::UINT8, 7},
      {TensorType::INT64, 56},      {TensorType::STRING, 0},
      {TensorType::BOOL, 7},        {TensorType::INT16, 14},
      {TensorType::COMPLEX64, 56},  {TensorType::INT8, 7},
      {TensorType::FLOAT64, 56},    {TensorType::COMPLEX128, 112},
      {TensorType::UINT64, 56},     {TensorType::RESOURCE, 0},
      {TensorType::VARIANT, 0},     {TensorType::UINT32, 28},
      {TensorType::UINT16, 14},     {TensorType::INT4, 4},
      {TensorType::BFLOAT16, 14},   {TensorType::INT2, 2},
      {TensorType::UINT4, 4},       {TensorType::FLOAT8_E4M3FN, 7},
      {TensorType::FLOAT8_E5M2, 7},
  };
  EXPECT_EQ(std::size(cases), static_cast<size_t>(TensorType::MAX) + 1);
  for (const TypeCase& c : cases) {
    SCOPED_TRACE(tflite::EnumNameTensorType(c.type));
    ModelSpec model = ExampleModel();
    model.graphs[0].tensors[3].type = c.type;
    model.graphs[0].tensors[4].shape = {0};
    model.graphs[0].tensors[3].shape = {7};
    // A tensor without bytes has no record.
    EXPECT_EQ(TraceOf(model),
              c.bytes == 0
                  ? "id,lower,upper,size\n"
                  : absl::StrCat("id,lower,upper,size\n3,1,4,", c.bytes, "\n"));
  }
}

struct ShapeCase {
  std::vector<int32_t> shape;
  size_t bytes;  // with elements of one byte
};

TEST(ModelTraceTest, ShapesMultiply) {
  const int32_t max = 2147483647;
  const ShapeCase cases[] = {
      {{}, 1},                  // a scalar
      {{0}, 0},                 // empty
      {{max, max, 0, max}, 0},  // empty, although the other extents overflow
      {{2, 3, 5}, 30},
      {{max, max}, 4611686014132420609},
  };
  for (const ShapeCase& c : cases) {
    ModelSpec model = ExampleModel();
    model.graphs[0].tensors[3].type = TensorType::INT8;
    model.graphs[0].tensors[3].shape = c.shape;
    model.graphs[0].tensors[4].shape = {0};
    EXPECT_EQ(TraceOf(model),
              c.bytes == 0
                  ? "id,lower,upper,size\n"
                  : absl::StrCat("id,lower,upper,size\n3,1,4,", c.bytes, "\n"));
  }
}

TEST(ModelTraceTest, OptionalInputsAndOutputsMayBeAbsent) {
  ModelSpec model = ExampleModel();
  model.graphs[0].operators[1].inputs = {0, -1, 2, -1};
  model.graphs[0].operators[2].outputs = {-1, 4};
  EXPECT_EQ(TraceOf(model), TraceOf(ExampleModel()));
}

TEST(ModelTraceTest, AReshapeMayNameAShapeWithoutData) {
  ModelSpec model = ExampleModel();
  model.codes[2].code = BuiltinOperator::RESHAPE;
  model.graphs[0].tensors.push_back({{2}, TensorType::INT32, 0, "shape"});
  model.graphs[0].operators[2].inputs = {3, 6};
  EXPECT_EQ(TraceOf(model), TraceOf(ExampleModel()));
}

TEST(ModelTraceTest, DataMayLieOutsideTheFlatbuffer) {
  ModelSpec outside = ExampleModel();
  outside.buffers[1] = {{}, 16, 8};
  EXPECT_EQ(TraceOf(outside), TraceOf(ExampleModel()));
  ModelSpec external = ExampleModel();
  external.graphs[0].tensors[1].buffer = 0;
  external.graphs[0].tensors[1].external_buffer = 7;
  EXPECT_EQ(TraceOf(external), TraceOf(ExampleModel()));
}

}  // namespace
}  // namespace stowage
