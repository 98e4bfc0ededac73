// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/declared_shapes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/error_payload.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tflite::BuiltinOperator;

// Returns the model x -> RELU -> h -> `code` -> y -> RELU -> z. The tensors x
// and h have the shape [1, 64], and y and z are declared to have the shape
// `declared`.
ModelSpec ModelOf(const CodeSpec& code, std::vector<int32_t> declared) {
  ModelSpec model;
  model.codes = {{BuiltinOperator::RELU}, code};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {
      {{1, 64}, tflite::TensorType::FLOAT32, 0, "x"},
      {{1, 64}, tflite::TensorType::FLOAT32, 0, "h"},
      {declared, tflite::TensorType::FLOAT32, 0, "y"},
      {declared, tflite::TensorType::FLOAT32, 0, "z"},
  };
  graph.inputs = {0};
  graph.outputs = {3};
  graph.operators = {{0, {0}, {1}}, {1, {1}, {2}}, {0, {2}, {3}}};
  return model;
}

struct DeclaredCase {
  const char* name;
  ModelSpec model;
  std::vector<size_t> tensors;  // tensors that differ
  const char* error;            // null if nothing is larger than declared
};

std::vector<DeclaredCase> Cases() {
  const CodeSpec neg = {BuiltinOperator::NEG};
  ModelSpec open = ModelOf(neg, {1, 64});
  open.graphs[0].tensors[2].shape_signature = {-1, 64};
  ModelSpec refused = ModelOf({BuiltinOperator::CONV_2D}, {4});
  refused.graphs[0].operators[1].inputs = {1, 1};
  ModelSpec called = ModelOf(neg, {1, 64});
  called.graphs.push_back(ModelOf(neg, {4}).graphs[0]);
  return {
      {"as computed", ModelOf(neg, {1, 64}), {}, nullptr},
      {"other extents of as many bytes", ModelOf(neg, {8, 8}), {}, nullptr},
      {"an open extent", open, {}, nullptr},
      {"no shape",
       ModelOf(neg, {}),
       {2, 3},
       "m: subgraph 0, operator 1 (NEG): computes [1, 64], 256 bytes, for "
       "tensor 2 \"y\"; the model declares [], 4 bytes, which a device plans; "
       "expected at least the computed bytes"},
      {"too small, but in the same multiple of 16",
       ModelOf(neg, {1, 63}),
       {2, 3},
       "m: subgraph 0, operator 1 (NEG): computes [1, 64], 256 bytes, for "
       "tensor 2 \"y\"; the model declares [1, 63], 252 bytes, which a device "
       "plans; expected at least the computed bytes"},
      {"too large: more is planned than is written",
       ModelOf(neg, {1, 65}),
       {2, 3},
       nullptr},
      {"in another subgraph",
       called,
       {2, 3},
       "m: subgraph 1, operator 1 (NEG): computes [1, 64], 256 bytes, for "
       "tensor 2 \"y\"; the model declares [4], 16 bytes, which a device "
       "plans; expected at least the computed bytes"},
      {"no kernel here",
       ModelOf({BuiltinOperator::CUSTOM, "any"}, {4}),
       {},
       nullptr},
      {"a kernel that refuses the model", refused, {}, nullptr},
      {"after an operator without a kernel",
       [] {
         ModelSpec model = ModelOf({BuiltinOperator::CUSTOM, "any"}, {4});
         model.graphs[0].tensors[3].shape = {2};
         return model;
       }(),
       {3},
       "m: subgraph 0, operator 2 (RELU): computes [4], 16 bytes, for tensor 3 "
       "\"z\"; the model declares [2], 8 bytes, which a device plans; expected "
       "at least the computed bytes"},
  };
}

TEST(DeclaredShapes, AreComparedWithThoseThatOperatorsCompute) {
  for (const DeclaredCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const std::string bytes = Build(c.model);
    std::vector<size_t> tensors;
    for (const ShapeDifference& found : CompareDeclaredShapes(bytes, "m")) {
      tensors.push_back(found.tensor);
      EXPECT_NE(found.declared_bytes, found.computed_bytes);
    }
    EXPECT_EQ(tensors, c.tensors);
    const absl::Status status = CheckDeclaredShapes(bytes, "m");
    if (c.error == nullptr) {
      EXPECT_THAT(status, IsOk());
      continue;
    }
    EXPECT_THAT(status, FailsWith(absl::StatusCode::kInvalidArgument, c.error));
    EXPECT_EQ(TensorOf(status), c.tensors[0]);
  }
}

// The shape of WHERE's output depends on data, so it is not compared with the
// declared shape. The shapes of later operators are compared as if WHERE's
// output had its declared shape.
TEST(DeclaredShapes, GoOnAfterShapesThatDependOnData) {
  ModelSpec model = ModelOf({BuiltinOperator::WHERE}, {3, 2});
  model.graphs[0].tensors[2].type = tflite::TensorType::INT64;
  model.graphs[0].tensors[3].type = tflite::TensorType::INT32;
  model.graphs[0].tensors[3].shape = {5};
  model.codes.push_back({BuiltinOperator::SHAPE});
  model.graphs[0].operators[2].code = 2;
  const std::vector<ShapeDifference> found =
      CompareDeclaredShapes(Build(model), "m");
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found[0].message,
              HasSubstr("(SHAPE): computes [2], 8 bytes, for tensor 3 \"z\"; "
                        "the model declares [5], 20 bytes"));
}

// The model declares no shapes for the four outputs of the operator, although
// three of the outputs are not scalars.
TEST(DeclaredShapes, OfDetectionsWithoutShapes) {
  ModelSpec model;
  model.codes = {{BuiltinOperator::CUSTOM, "TFLite_Detection_PostProcess"}};
  model.buffers.emplace_back();
  model.buffers.push_back({std::vector<uint8_t>(20 * 4 * sizeof(float))});
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{1, 20, 4}}, {{1, 20, 3}}, {{20, 4}}, {{}},
                   {{}},         {{}},         {{}}};
  graph.tensors[2].buffer = 1;
  graph.inputs = {0, 1};
  graph.outputs = {3, 4, 5, 6};
  graph.operators = {{0, {0, 1, 2}, {3, 4, 5, 6}}};
  flexbuffers::Builder options;
  options.Map([&] {
    options.Int("max_detections", 10);
    options.Int("max_classes_per_detection", 1);
    options.Int("num_classes", 2);
    options.Float("nms_score_threshold", 0.1F);
    options.Float("nms_iou_threshold", 0.5F);
    for (const char* scale : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
      options.Float(scale, 5.0F);
    }
  });
  options.Finish();
  graph.operators[0].custom_options = options.GetBuffer();
  std::vector<size_t> computed;
  for (const ShapeDifference& found :
       CompareDeclaredShapes(Build(model), "m")) {
    EXPECT_EQ(found.declared_bytes, 4);
    computed.push_back(found.computed_bytes);
  }
  EXPECT_THAT(computed, ElementsAre(160, 40, 40));
}

TEST(DeclaredShapes, OfWhatIsNotAModelAreNotCompared) {
  EXPECT_THAT(CompareDeclaredShapes("id,lower,upper,size\n", "m"), IsEmpty());
  EXPECT_THAT(CheckDeclaredShapes(Build(ExampleModel()), "m"), IsOk());
}

// The memory that the caller provides is large enough for the declared shape
// but not for the computed shape.
TEST(DeclaredShapes, AreNamedWhereMemoryOfTheCallersIsTooSmall) {
  const std::string bytes = Build(ModelOf({BuiltinOperator::NEG}, {4}));
  const auto model = Model::Parse(bytes, "m");
  ASSERT_THAT(model.status(), IsOk());
  const auto interpreter = Interpreter::Create(**model);
  ASSERT_THAT(interpreter.status(), IsOk());
  alignas(64) uint8_t memory[64] = {};
  ASSERT_THAT((*interpreter)->primary().SetCustomAllocation(2, memory), IsOk());
  EXPECT_THAT(
      (*interpreter)->primary().Allocate(),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "m: subgraph 0, tensor 2 \"y\": memory provided by the caller "
                "has 64 bytes; expected 256 at least: the model declares [4], "
                "16 bytes, and the computed shape is [1, 64], 256 bytes"));
}

}  // namespace
}  // namespace stowage::harness
