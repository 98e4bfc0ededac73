// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/known_shapes.h"

#include <cstddef>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the model x -> ABS -> y -> ABS -> z. The tensors have the shape [1,
// 4], and their first extent, the batch, is open.
ModelSpec OpenModel() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::ABS}};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  for (const char* name : {"x", "y", "z"}) {
    TensorDraft& tensor = graph.tensors.emplace_back();
    tensor.shape = {1, 4};
    tensor.name = name;
    tensor.shape_signature = {-1, 4};
  }
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0}, {1}}, {0, {1}, {2}}};
  return model;
}

TEST(KnownShapes, ReplaceThoseOfAModel) {
  const std::string bytes = Build(OpenModel());
  const auto model = Model::Parse(bytes, "m");
  ASSERT_THAT(model.status(), IsOk());
  const std::unique_ptr<const Model> known =
      (*model)->WithShapes({{{0, 0}, {{8, 4}, false}},
                            {{0, 1}, {{8, 4}, true}},
                            {{0, 2}, {{2, 2, 8}, true}},
                            {{1, 0}, {{3}, false}}});
  const SubgraphSpec& graph = known->subgraphs()[0];
  EXPECT_THAT(graph.tensors[0].shape, ElementsAre(8, 4));
  EXPECT_THAT(graph.tensors[0].signature, ElementsAre(8, 4));
  EXPECT_EQ(graph.tensors[0].bytes, 128);
  EXPECT_FALSE(HasOpenExtent(graph.tensors[0]));
  // Open extents stay open. If the rank of the known shape is different, all
  // extents are open.
  EXPECT_THAT(graph.tensors[1].signature, ElementsAre(-1, 4));
  EXPECT_THAT(graph.tensors[2].signature, ElementsAre(-1, -1, -1));
  EXPECT_EQ(graph.tensors[2].bytes, 128);
  EXPECT_EQ(known->bytes(), bytes);
  EXPECT_EQ(known->name(), "m");
  // The model itself is unchanged.
  EXPECT_THAT((*model)->subgraphs()[0].tensors[0].shape, ElementsAre(1, 4));
}

TEST(KnownShapes, AreCountedIfTheyAreOpen) {
  const std::string bytes = Build(OpenModel());
  ModelTraceOptions options;
  auto trace = ParseModelTrace(bytes, "m", options);
  ASSERT_THAT(trace.status(), IsOk());
  EXPECT_EQ(trace->open.tensors, 3);
  EXPECT_EQ(trace->open.records, 1);
  EXPECT_EQ(trace->open.first, "subgraph 0, tensor 0 \"x\": [-1, 4]");
  EXPECT_THAT(trace->open.inputs, ElementsAre("x=1x4"));
  options.shapes = {{{0, 0}, {{8, 4}, false}}, {{0, 1}, {{8, 4}, false}}};
  trace = ParseModelTrace(bytes, "m", options);
  ASSERT_THAT(trace.status(), IsOk());
  EXPECT_EQ(trace->open.tensors, 1);
  EXPECT_EQ(trace->open.records, 0);
  EXPECT_EQ(trace->open.first, "subgraph 0, tensor 2 \"z\": [-1, 4]");
  EXPECT_THAT(trace->open.inputs, IsEmpty());
  ASSERT_EQ(trace->problem.records.size(), 1);
  EXPECT_EQ(trace->problem.records[0].tensor_size, 128);
}

}  // namespace
}  // namespace stowage
