// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/xnnpack/one_operator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "rapidcheck.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"

namespace stowage::harness {
namespace {

// A model of one operator, after a run that preserved all tensors.
struct RunModel {
  std::string bytes;
  std::unique_ptr<const Model> model;
  std::unique_ptr<Interpreter> interpreter;
};

absl::StatusOr<RunModel> RunKeepingTensors(const OperatorCase& c) {
  RunModel run;
  run.bytes = ModelOf(c);
  auto model = Model::Parse(run.bytes, "test.tflite");
  if (!model.ok()) return model.status();
  run.model = *std::move(model);
  InterpreterOptions options;
  options.preserve_all_tensors = true;
  auto interpreter = Interpreter::Create(*run.model, options);
  if (!interpreter.ok()) return interpreter.status();
  run.interpreter = *std::move(interpreter);
  Subgraph& graph = run.interpreter->primary();
  absl::Status status = graph.Allocate();
  if (!status.ok()) return status;
  size_t next = 0;
  for (const TensorValue& input : c.inputs) {
    if (input.is_absent || input.is_constant) continue;
    Tensor& tensor = graph.input(next++);
    if (tensor.bytes > 0) {
      std::memcpy(tensor.data, input.bytes.data(), tensor.bytes);
    }
  }
  status = graph.Invoke();
  if (!status.ok()) return status;
  return run;
}

std::unique_ptr<Delegate> NewDelegate() { return *CreateDelegate("xnnpack"); }

}  // namespace

ElementType AnyDataType() {
  return *rc::gen::element(ElementType::kFloat32, ElementType::kInt8,
                           ElementType::kUint8);
}

Quantization AnyQuantization(ElementType type) {
  if (type == ElementType::kFloat32) return {};
  const int middle = type == ElementType::kInt8 ? 0 : 128;
  const auto scale = static_cast<float>(*rc::gen::inRange(40, 90)) / 1024;
  return Scaled(scale, middle + *rc::gen::inRange(-20, 21));
}

TensorValue AnyTensor(ElementType type, const Shape& shape) {
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  size_t count = 1;
  for (const int32_t d : shape) count *= static_cast<size_t>(d);
  if (type == ElementType::kFloat32) {
    std::vector<float> values(count);
    for (float& x : values) {
      x = static_cast<float>(random() % 4096) / 512.0F - 4.0F;
    }
    return Values<float>(shape, values);
  }
  TensorValue value{type, shape, AnyQuantization(type)};
  for (size_t i = 0; i < count; ++i) {
    value.bytes.push_back(static_cast<uint8_t>(random()));
  }
  return value;
}

std::string CompareByXnnpack(const OperatorCase& c) {
  const auto run = RunKeepingTensors(c);
  if (!run.ok()) return run.status().ToString();
  const OperatorResolver resolver = BuiltinOperators();
  const support::RecordedGraph graph(run->interpreter->primary(), resolver);
  const std::unique_ptr<Delegate> delegate = NewDelegate();
  if (!delegate->CanRun(graph, 0)) return "not claimed";
  const auto output = support::RunLoneNode(*delegate, graph, 0, /*times=*/2);
  if (!output.ok()) return output.status().ToString();
  const Tensor& expected = graph.tensor(graph.node(0).outputs[0]);
  const double distance = support::DistanceOf(expected, *output);
  const double allowed =
      expected.type == ElementType::kFloat32
          ? 1e-5 * std::max(1.0, support::LargestOf(expected))
          : 1;
  if (distance <= allowed) return "";
  return absl::StrCat("the difference is ", distance, "; expected at most ",
                      allowed);
}

bool IsClaimedByXnnpack(const OperatorCase& c) {
  const auto run = RunKeepingTensors(c);
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return false;
  const OperatorResolver resolver = BuiltinOperators();
  const support::RecordedGraph graph(run->interpreter->primary(), resolver);
  return NewDelegate()->CanRun(graph, 0);
}

}  // namespace stowage::harness
