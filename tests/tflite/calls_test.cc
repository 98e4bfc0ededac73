// SPDX-License-Identifier: Apache-2.0
// Tests which subgraphs the operators of a model call, and which calls are
// refused.
#include "stowage/tflite/calls.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tflite::BuiltinOperator;
using tflite::TensorType;

enum Code : uint32_t { kRelu, kLess, kIf, kWhile, kOnce, kComposite };

void CallIf(int32_t then, int32_t otherwise, OperatorDraft* op) {
  tflite::IfOptionsT options;
  options.then_subgraph_index = then;
  options.else_subgraph_index = otherwise;
  op->options.Set(options);
}

void CallWhile(int32_t condition, int32_t body, OperatorDraft* op) {
  tflite::WhileOptionsT options;
  options.cond_subgraph_index = condition;
  options.body_subgraph_index = body;
  op->options.Set(options);
}

void CallOnce(int32_t subgraph, OperatorDraft* op) {
  tflite::CallOnceOptionsT options;
  options.init_subgraph_index = subgraph;
  op->options.Set(options);
}

void CallComposite(int32_t subgraph, OperatorDraft* op) {
  tflite::StableHLOCompositeOptionsT options;
  options.name = "odml.test";
  options.decomposition_subgraph_index = subgraph;
  op->options_2.Set(options);
}

// Returns a subgraph that computes one tensor of four numbers from another
// tensor.
GraphSpec Relu() {
  GraphSpec graph;
  graph.tensors = {{{4}}, {{4}}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{kRelu, {0}, {1}}};
  return graph;
}

// Returns a subgraph that computes a condition from a tensor of four numbers.
GraphSpec Condition() {
  GraphSpec graph = Relu();
  graph.tensors = {{{4}}, {{1}, TensorType::BOOL}};
  graph.operators = {{kLess, {0, 0}, {1}}};
  return graph;
}

// Returns a model with five subgraphs. Subgraph 0 has all four operators that
// call subgraphs. Subgraphs 1 and 2 are functions, subgraph 3 is a condition,
// and subgraph 4 has neither inputs nor outputs.
ModelSpec CallingModel() {
  ModelSpec model;
  model.codes = {
      {BuiltinOperator::RELU},      {BuiltinOperator::LESS},
      {BuiltinOperator::IF},        {BuiltinOperator::WHILE},
      {BuiltinOperator::CALL_ONCE}, {BuiltinOperator::STABLEHLO_COMPOSITE}};
  model.buffers.emplace_back();
  GraphSpec main;
  main.tensors = {{{1}, TensorType::BOOL}, {{4}}, {{4}}, {{4}}, {{4}}};
  main.inputs = {0, 1};
  main.outputs = {4};
  main.operators = {{kOnce, {}, {}},
                    {kIf, {0, 1}, {2}},
                    {kWhile, {2}, {3}},
                    {kComposite, {3}, {4}}};
  CallOnce(4, &main.operators[0]);
  CallIf(1, 2, &main.operators[1]);
  CallWhile(3, 1, &main.operators[2]);
  CallComposite(2, &main.operators[3]);
  model.graphs = {main, Relu(), Relu(), Condition(), GraphSpec()};
  return model;
}

absl::Status Check(const ModelSpec& spec) {
  const std::string bytes = Build(spec);
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, "m");
  return model.ok() ? CheckCalls(**model) : model.status();
}

TEST(Calls, AreThoseOfTheOptions) {
  const std::string bytes = Build(CallingModel());
  const auto model = Model::Parse(bytes, "m");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(CheckCalls(**model).ok());
  const std::vector<OperatorSpec>& ops = (*model)->subgraphs()[0].operators;
  EXPECT_THAT(CalledSubgraphs(ops[0]), ElementsAre(4));
  EXPECT_THAT(CalledSubgraphs(ops[1]), ElementsAre(1, 2));
  EXPECT_THAT(CalledSubgraphs(ops[2]), ElementsAre(3, 1));
  EXPECT_THAT(CalledSubgraphs(ops[3]), ElementsAre(2));
  for (size_t i = 0; i < ops.size(); ++i) {
    EXPECT_TRUE(CallsSubgraphs(ops[i])) << i;
    EXPECT_EQ(PassesArguments(ops[i]), i > 0) << i;
  }
  const OperatorSpec& relu = (*model)->subgraphs()[1].operators[0];
  EXPECT_FALSE(CallsSubgraphs(relu));
  EXPECT_THAT(CalledSubgraphs(relu), IsEmpty());
}

struct BadCall {
  const char* name;
  std::function<void(ModelSpec*)> change;
  size_t op;  // the operator that the error is about
  const char* message;
};

std::vector<BadCall> BadCalls() {
  const auto main_op = [](ModelSpec* m, size_t op) -> OperatorDraft& {
    return m->graphs[0].operators[op];
  };
  return {
      {"UnknownSubgraph", [=](ModelSpec* m) { CallIf(1, 5, &main_op(m, 1)); },
       1,
       "m: subgraph 0, operator 1 (IF): calls subgraph 5; expected an index "
       "below 5"},
      {"NegativeSubgraph",
       [=](ModelSpec* m) { CallComposite(-1, &main_op(m, 3)); }, 3,
       "calls subgraph -1; expected an index below 5"},
      {"NoOptions", [=](ModelSpec* m) { main_op(m, 1).options.Reset(); }, 1,
       "its options do not name the subgraphs that it calls"},
      {"OptionsOfAnotherOperator",
       [=](ModelSpec* m) { CallWhile(3, 1, &main_op(m, 1)); }, 1,
       "its options do not name the subgraphs that it calls"},
      {"TooFewArguments", [=](ModelSpec* m) { main_op(m, 1).inputs = {0}; }, 1,
       "it has 0 arguments, and subgraph 1 has 1 inputs; expected as many"},
      {"TooManyResults",
       [=](ModelSpec* m) {
         m->graphs[2].outputs = {1, 1};
       },
       1, "it has 1 results, and subgraph 2 has 2 outputs; expected as many"},
      {"NoCondition",
       [=](ModelSpec* m) {
         main_op(m, 1).inputs = {-1, 1};
       },
       1, "it has no condition; expected it as input 0"},
      {"ConditionOfFourNumbers",
       [=](ModelSpec* m) {
         main_op(m, 1).inputs = {1, 1};
       },
       1, "its condition is tensor 1, FLOAT32 [4]; expected one BOOL"},
      {"ArgumentLeftOut",
       [=](ModelSpec* m) {
         main_op(m, 1).inputs = {0, -1};
       },
       1, "argument 0 for input 0 of subgraph 1, tensor 0: it is left out"},
      {"ArgumentOfAnotherSize",
       [=](ModelSpec* m) { m->graphs[1].tensors[0].shape = {5}; }, 1,
       "16 and 20 bytes; expected equal sizes"},
      {"ArgumentOfAnotherType",
       [=](ModelSpec* m) { m->graphs[2].tensors[0].type = TensorType::INT32; },
       1, "FLOAT32 and INT32; expected equal types"},
      {"LoopWithoutResults",
       [=](ModelSpec* m) {
         main_op(m, 2).outputs = {};
         main_op(m, 3).inputs = {2};
       },
       2, "it has 1 inputs and 0 outputs; expected as many of both"},
      {"ConditionWithoutOutputs",
       [=](ModelSpec* m) { m->graphs[3].outputs = {}; }, 2,
       "its condition, subgraph 3, has 0 outputs; expected one"},
      {"ConditionIsNoBool",
       [=](ModelSpec* m) { m->graphs[3].tensors[1].type = TensorType::INT8; },
       2, "its condition is tensor 1, INT8 [1]; expected one BOOL"},
      {"ConditionIsTheBody",
       [=](ModelSpec* m) { CallWhile(3, 3, &main_op(m, 2)); }, 2,
       "its condition and its body are both subgraph 3"},
      {"OnceWithInputs", [=](ModelSpec* m) { CallOnce(1, &main_op(m, 0)); }, 0,
       "it has 0 arguments, and subgraph 1 has 1 inputs; expected as many"},
      {"Recursion",
       [=](ModelSpec* m) {
         m->graphs[2].operators = {{kComposite, {0}, {1}}};
         CallComposite(2, m->graphs[2].operators.data());
       },
       0,
       "m: subgraph 0, operator 1 (IF) > subgraph 2, operator 0 "
       "(STABLEHLO_COMPOSITE): calls subgraph 2, which is in this chain "
       "already; expected no subgraph that calls itself"},
  };
}

TEST(Calls, AreRefusedWithTheChain) {
  for (const BadCall& bad : BadCalls()) {
    SCOPED_TRACE(bad.name);
    ModelSpec model = CallingModel();
    bad.change(&model);
    const absl::Status status = Check(model);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
    EXPECT_EQ(OperatorOf(status), bad.op);
  }
}

TEST(Calls, OfALoopMayReturnAnotherSize) {
  ModelSpec model = CallingModel();
  CallWhile(3, 4, &model.graphs[0].operators[2]);
  model.graphs[4] = Relu();
  model.graphs[4].tensors[1].shape = {8};
  CallOnce(5, model.graphs[0].operators.data());
  model.graphs.emplace_back();
  EXPECT_TRUE(Check(model).ok()) << Check(model);
}

TEST(Calls, HaveAMaximumDepth) {
  for (const size_t depth : {kMaxCallDepth, kMaxCallDepth + 1}) {
    ModelSpec model = CallingModel();
    model.graphs.assign(depth, GraphSpec());
    for (size_t i = 0; i + 1 < depth; ++i) {
      CallOnce(static_cast<int32_t>(i) + 1,
               &model.graphs[i].operators.emplace_back());
      model.graphs[i].operators[0].code = kOnce;
    }
    const absl::Status status = Check(model);
    if (depth == kMaxCallDepth) {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      EXPECT_THAT(std::string(status.message()), HasSubstr("too deep"));
    }
  }
}

}  // namespace
}  // namespace stowage
