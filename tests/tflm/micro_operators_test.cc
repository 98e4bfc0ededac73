// SPDX-License-Identifier: Apache-2.0
// Tests which types, numbers of tensors and calls TensorFlow Lite Micro can
// load, and which operators it provides.
#include "src/tflm/micro_operators.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using tflite::BuiltinOperator;
using tflite::TensorType;

// Returns the status of MicroBuffersOf, which every verb for a device calls.
absl::Status Load(const ModelSpec& spec) {
  const std::string bytes = Build(spec);
  const auto model = Model::Parse(bytes, "m");
  if (!model.ok()) return model.status();
  return MicroBuffersOf(**model).status();
}

// Returns a model whose only operator reads the tensors [0, inputs) and writes
// the next `outputs` tensors.
ModelSpec ModelOf(const CodeSpec& code, int32_t inputs, int32_t outputs) {
  ModelSpec model;
  model.codes = {code};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.operators.emplace_back();
  for (int32_t t = 0; t < inputs + outputs; ++t) {
    graph.tensors.push_back({{4}});
    OperatorDraft& op = graph.operators[0];
    (t < inputs ? graph.inputs : graph.outputs).push_back(t);
    (t < inputs ? op.inputs : op.outputs).push_back(t);
  }
  return model;
}

// Returns a model of two custom operators with a tensor of the given type
// between them.
ModelSpec WithIntermediate(TensorType type) {
  ModelSpec model = ModelOf({BuiltinOperator::CUSTOM, "pack"}, 1, 1);
  model.codes.push_back({BuiltinOperator::CUSTOM, "unpack"});
  GraphSpec& graph = model.graphs[0];
  graph.tensors.push_back({{64}, type, 0, "between"});
  graph.operators = {{0, {0}, {2}}, {1, {2}, {1}}};
  return model;
}

TEST(CheckDeviceLoads, RefusesTypesWhoseSizeTheDeviceDoesNotKnow) {
  struct Case {
    TensorType type;
    const char* refused;  // the name; null for a type that the device knows
  };
  const Case cases[] = {
      {TensorType::FLOAT32, nullptr},
      {TensorType::FLOAT16, nullptr},
      {TensorType::INT32, nullptr},
      {TensorType::UINT8, nullptr},
      {TensorType::INT64, nullptr},
      {TensorType::STRING, "STRING"},
      {TensorType::BOOL, nullptr},
      {TensorType::INT16, nullptr},
      {TensorType::COMPLEX64, nullptr},
      {TensorType::INT8, nullptr},
      {TensorType::FLOAT64, nullptr},
      {TensorType::COMPLEX128, nullptr},
      {TensorType::UINT64, nullptr},
      {TensorType::RESOURCE, nullptr},
      {TensorType::VARIANT, "VARIANT"},
      {TensorType::UINT32, nullptr},
      {TensorType::UINT16, nullptr},
      {TensorType::INT4, nullptr},
      {TensorType::BFLOAT16, nullptr},
      {static_cast<TensorType>(19), "INT2"},
      {static_cast<TensorType>(20), "UINT4"},
      {static_cast<TensorType>(21), "FLOAT8_E4M3FN"},
      {static_cast<TensorType>(22), "FLOAT8_E5M2"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.type));
    const absl::Status status = Load(WithIntermediate(c.type));
    if (c.refused == nullptr) {
      EXPECT_THAT(status, IsOk());
      continue;
    }
    EXPECT_THAT(
        status,
        FailsWith(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("m: subgraph 0, tensor 2 \"between\": its type "
                               "is ",
                               c.refused,
                               ", whose size the device does not know "
                               "(TensorFlow Lite Micro 90b983c2); expected "
                               "another type")));
    EXPECT_EQ(TensorOf(status), 2);
  }
}

// The device refuses such a type even for tensors that it does not plan,
// because it computes the sizes of these tensors as well.
TEST(CheckDeviceLoads, RefusesSuchTypesWhereverTheyAre) {
  struct Case {
    const char* name;
    void (*change)(ModelSpec* model);
  };
  const Case cases[] = {
      {"of an input",
       [](ModelSpec* m) {
         m->graphs[0].inputs = {0, 2};
       }},
      {"of a constant",
       [](ModelSpec* m) {
         m->buffers.push_back({std::vector<uint8_t>(16)});
         m->graphs[0].tensors[2].buffer = 1;
         m->graphs[0].operators = {{0, {0, 2}, {1}}};
       }},
      {"of a variable",
       [](ModelSpec* m) {
         m->graphs[0].tensors[2].is_variable = true;
         m->graphs[0].operators = {{0, {0, 2}, {1}}};
       }},
      {"of what nothing uses",
       [](ModelSpec* m) {
         m->graphs[0].operators = {{0, {0}, {1}}};
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ModelSpec model = WithIntermediate(static_cast<TensorType>(19));
    model.graphs[0].operators = {{0, {0, 2}, {1}}};
    c.change(&model);
    EXPECT_THAT(Load(model), FailsWith(absl::StatusCode::kInvalidArgument,
                                       testing::HasSubstr("its type is INT2")));
  }
}

TEST(CheckDeviceLoads, RefusesNumbersOfTensorsThatAKernelDoesNotTake) {
  struct Case {
    CodeSpec code;
    int32_t inputs;
    int32_t outputs;
    const char* message;  // after the operator; null for none
  };
  const Case cases[] = {
      {{BuiltinOperator::CONV_2D}, 2, 1, nullptr},
      {{BuiltinOperator::CONV_2D}, 3, 1, nullptr},
      {{BuiltinOperator::CONV_2D},
       1,
       1,
       "(CONV_2D): it has 1 input, which the device refuses; expected 2 to 3 "
       "inputs"},
      {{BuiltinOperator::CONV_2D},
       4,
       1,
       "(CONV_2D): it has 4 inputs, which the device refuses; expected 2 to 3 "
       "inputs"},
      {{BuiltinOperator::ADD},
       1,
       1,
       "(ADD): it has 1 input, which the device refuses; expected at least 2 "
       "inputs"},
      {{BuiltinOperator::RELU},
       1,
       0,
       "(RELU): it has 0 outputs, which the device refuses; expected at least "
       "1 output"},
      {{BuiltinOperator::SOFTMAX},
       1,
       2,
       "(SOFTMAX): it has 2 outputs, which the device refuses; expected 1 "
       "output"},
      {{BuiltinOperator::CONCATENATION}, 10, 1, nullptr},
      {{BuiltinOperator::CONCATENATION},
       11,
       1,
       "(CONCATENATION): it has 11 inputs, which the device refuses; expected "
       "1 to 10 inputs"},
      {{BuiltinOperator::CUSTOM, "SignalWindow"},
       1,
       1,
       "(CUSTOM \"SignalWindow\"): it has 1 input, which the device refuses; "
       "expected 2 inputs"},
      // An operator without an upstream kernel may have any number of tensors.
      {{BuiltinOperator::CUSTOM, "mine"}, 7, 3, nullptr},
      {{BuiltinOperator::RFFT2D}, 1, 1, nullptr},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(absl::StrCat(tflite::EnumNameBuiltinOperator(c.code.code), " ",
                              c.inputs, " ", c.outputs));
    const absl::Status status = Load(ModelOf(c.code, c.inputs, c.outputs));
    if (c.message == nullptr) {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_THAT(status, FailsWith(absl::StatusCode::kInvalidArgument,
                                    absl::StrCat("m: subgraph 0, operator 0 ",
                                                 c.message)));
      EXPECT_EQ(OperatorOf(status), 0);
    }
  }
}

GraphSpec Called(int32_t inputs, int32_t outputs, int32_t extent = 4) {
  GraphSpec graph;
  for (int32_t t = 0; t < inputs + outputs; ++t) {
    graph.tensors.push_back({{extent}});
    (t < inputs ? graph.inputs : graph.outputs).push_back(t);
  }
  if (inputs + outputs > 0) {
    graph.operators = {{1, graph.inputs, graph.outputs}};
  }
  return graph;
}

template <typename Options>
ModelSpec Calling(BuiltinOperator code, Options options, int32_t inputs,
                  int32_t outputs, std::vector<GraphSpec> called) {
  ModelSpec model = ModelOf({code}, inputs, outputs);
  model.codes.push_back({BuiltinOperator::CUSTOM, "any"});
  model.graphs[0].operators[0].options.Set(std::move(options));
  for (GraphSpec& graph : called) model.graphs.push_back(std::move(graph));
  return model;
}

tflite::IfOptionsT Branches() {
  tflite::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = 2;
  return options;
}

tflite::WhileOptionsT Loop() {
  tflite::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  return options;
}

TEST(CheckDeviceLoads, RefusesCallsWithOtherArguments) {
  struct Case {
    const char* name;
    ModelSpec model;
    const char* message;  // after the operator; null for none
  };
  const BuiltinOperator if_ = BuiltinOperator::IF;
  const BuiltinOperator while_ = BuiltinOperator::WHILE;
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  const Case cases[] = {
      {"as many", Calling(if_, Branches(), 3, 1, {Called(2, 1), Called(2, 1)}),
       nullptr},
      {"no condition",
       Calling(if_, Branches(), 0, 1, {Called(0, 1), Called(0, 1)}),
       "(IF): it has 0 inputs, which the device refuses; expected at least 1 "
       "input"},
      {"too many arguments",
       Calling(if_, Branches(), 3, 1, {Called(1, 1), Called(1, 1)}),
       "(IF): it has 2 arguments for 1 input of subgraph 1, which the device "
       "refuses; expected as many"},
      {"too few for the other branch",
       Calling(if_, Branches(), 2, 1, {Called(1, 1), Called(2, 1)}),
       "(IF): it has 1 argument for 2 inputs of subgraph 2, which the device "
       "refuses; expected as many"},
      {"a result that nothing takes",
       Calling(if_, Branches(), 2, 1, {Called(1, 2), Called(1, 2)}),
       "(IF): it has 1 output for 2 outputs of subgraph 1, which the device "
       "refuses; expected as many"},
      {"another size",
       Calling(if_, Branches(), 2, 1, {Called(1, 1), Called(1, 1, 8)}),
       "(IF): tensor 1 is 16 bytes, and input 0 of subgraph 2, tensor 0, 32, "
       "which the device does not copy; expected equal sizes"},
      {"a loop", Calling(while_, Loop(), 2, 2, {Called(2, 1), Called(2, 2)}),
       nullptr},
      {"a loop without a condition",
       Calling(while_, Loop(), 2, 2, {Called(2, 0), Called(2, 2)}),
       "(WHILE): subgraph 1, its condition, has no output; expected one"},
      {"a condition of other values",
       Calling(while_, Loop(), 2, 2, {Called(1, 1), Called(2, 2)}),
       "(WHILE): it has 2 arguments for 1 input of subgraph 1, which the "
       "device refuses; expected as many"},
      {"a loop that loses a value",
       Calling(while_, Loop(), 2, 1, {Called(2, 1), Called(2, 1)}),
       "(WHILE): it has 2 inputs and 1 output, which the device refuses; "
       "expected as many of both"},
      {"once", Calling(BuiltinOperator::CALL_ONCE, once, 0, 0, {Called(0, 0)}),
       nullptr},
      {"once, with an argument",
       Calling(BuiltinOperator::CALL_ONCE, once, 1, 0, {Called(0, 0)}),
       "(CALL_ONCE): it has 1 input, which the device refuses; expected 0 "
       "inputs"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    if (c.message == nullptr) {
      EXPECT_THAT(Load(c.model), IsOk());
    } else {
      EXPECT_THAT(
          Load(c.model),
          FailsWith(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("m: subgraph 0, operator 0 ", c.message)));
    }
  }
}

// Each operator is listed once. Builtin operators come first.
TEST(MicroOperatorsOf, SaysWhatRegistersEach) {
  ModelSpec spec = ModelOf({BuiltinOperator::RELU}, 1, 1);
  spec.codes = {{BuiltinOperator::RELU},
                {BuiltinOperator::CUSTOM, "SignalWindow"},
                {BuiltinOperator::CUSTOM, "RELU"},
                {BuiltinOperator::RFFT2D},
                {BuiltinOperator::CONV_2D}};
  GraphSpec& graph = spec.graphs[0];
  graph.operators.clear();
  for (int32_t i = 0; i < 6; ++i) {
    graph.tensors.push_back({{4}});
    graph.operators.push_back({static_cast<uint32_t>(i % 5), {0}, {2 + i}});
  }
  graph.outputs = {2};
  const std::string bytes = Build(spec);
  const auto model = Model::Parse(bytes, "m");
  ASSERT_THAT(model.status(), IsOk());
  std::vector<std::string> texts;
  for (const MicroOperator& op : MicroOperatorsOf(**model)) {
    texts.push_back(absl::StrCat(op.is_custom ? "custom " : "", op.name, ": ",
                                 op.uses, ", ", op.adder));
  }
  EXPECT_THAT(texts, ElementsAre("CONV_2D: 1, AddConv2D", "RELU: 2, AddRelu",
                                 "RFFT2D: 1, ", "custom RELU: 1, ",
                                 "custom SignalWindow: 1, AddWindow"));
}

}  // namespace
}  // namespace stowage
