// SPDX-License-Identifier: Apache-2.0
// Builds small models in which some operators have no kernels, and runs the
// models with shadows.
//
//   Net net;
//   const int32_t x = net.Tensor({2, 3});
//   net.AddCustom("Unknown", {net.Input({7})}, {x});
//   net.Output(x);
//   ShadowRun(net.spec()).Outputs();
#ifndef STOWAGE_TESTS_HARNESS_SHADOW_RUN_H_
#define STOWAGE_TESTS_HARNESS_SHADOW_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/byte_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {

// Builds a model of operators with and without kernels.
class Net {
 public:
  Net() {
    spec_.buffers.emplace_back();
    spec_.graphs.emplace_back();
  }

  int32_t Tensor(std::vector<int32_t> shape,
                 tflite::TensorType type = tflite::TensorType::FLOAT32) {
    const size_t index = graph().tensors.size();
    TensorDraft& tensor = graph().tensors.emplace_back();
    tensor.shape = std::move(shape);
    tensor.type = type;
    tensor.name = absl::StrCat("t", index);
    return static_cast<int32_t>(index);
  }
  int32_t Input(std::vector<int32_t> shape,
                tflite::TensorType type = tflite::TensorType::FLOAT32) {
    graph().inputs.push_back(Tensor(std::move(shape), type));
    return graph().inputs.back();
  }
  int32_t Constant(std::vector<int32_t> shape, tflite::TensorType type,
                   std::vector<uint8_t> bytes) {
    const int32_t tensor = Tensor(std::move(shape), type);
    at(tensor).buffer = static_cast<uint32_t>(spec_.buffers.size());
    spec_.buffers.push_back({std::move(bytes)});
    return tensor;
  }
  OperatorDraft& Add(CodeSpec code, std::vector<int32_t> inputs,
                     std::vector<int32_t> outputs) {
    OperatorDraft& op = graph().operators.emplace_back();
    op.code = static_cast<uint32_t>(spec_.codes.size());
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    spec_.codes.push_back(std::move(code));
    return op;
  }
  OperatorDraft& AddCustom(const std::string& name, std::vector<int32_t> inputs,
                           std::vector<int32_t> outputs) {
    return Add({tflite::BuiltinOperator::CUSTOM, name}, std::move(inputs),
               std::move(outputs));
  }
  void Output(int32_t tensor) { graph().outputs.push_back(tensor); }

  GraphSpec& graph() { return spec_.graphs.back(); }
  TensorDraft& at(int32_t tensor) {
    return graph().tensors[static_cast<size_t>(tensor)];
  }
  ModelSpec& spec() { return spec_; }

 private:
  ModelSpec spec_;
};

// Holds a loaded model that is ready to run with shadows.
class ShadowRun {
 public:
  explicit ShadowRun(const ModelSpec& spec,
                     ShadowMode mode = ShadowMode::kMissing,
                     const OperatorResolver& resolver = BuiltinOperators())
      : model_(spec) {
    InterpreterOptions options;
    options.shadow = mode;
    auto created = Interpreter::Create(*model_, resolver, options);
    EXPECT_THAT(created, support::IsOk());
    if (!created.ok()) return;
    interpreter_ = *std::move(created);
    allocated_ = graph().Allocate();
  }

  const absl::Status& allocated() const { return allocated_; }
  Subgraph& graph() { return interpreter_->primary(); }
  Interpreter& interpreter() { return *interpreter_; }

  // Fills the inputs for the invocation, runs the model and returns the
  // outputs.
  std::vector<std::vector<uint8_t>> Outputs(size_t invocation = 0) {
    EXPECT_THAT(allocated_, support::IsOk());
    EXPECT_THAT(FeedBytes(graph(), invocation), support::IsOk());
    return Invoke();
  }
  std::vector<std::vector<uint8_t>> Invoke() {
    EXPECT_THAT(graph().Invoke(), support::IsOk());
    std::vector<std::vector<uint8_t>> outputs;
    for (size_t i = 0; i < graph().output_count(); ++i) {
      const stowage::harness::Tensor& output = graph().output(i);
      outputs.emplace_back(output.as<uint8_t>(),
                           output.as<uint8_t>() + output.bytes);
    }
    return outputs;
  }

  std::vector<size_t> ShadowedNodes() {
    std::vector<size_t> nodes;
    for (const ShadowedOperator& op : interpreter_->ShadowedOperators()) {
      nodes.push_back(op.node);
    }
    return nodes;
  }

 private:
  LoadedModel model_;
  std::unique_ptr<Interpreter> interpreter_;
  absl::Status allocated_ = absl::OkStatus();
};

// Returns a model with two inputs, two outputs and an operator without a
// kernel.
inline Net TwoByTwo() {
  Net net;
  const int32_t a = net.Input({3, 5}, tflite::TensorType::INT8);
  const int32_t b = net.Input({7});
  const int32_t x = net.Tensor({40}, tflite::TensorType::INT8);
  const int32_t y = net.Tensor({2, 3});
  net.AddCustom("Unknown", {a, -1, b}, {x, y});
  net.Output(x);
  net.Output(y);
  return net;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_SHADOW_RUN_H_
