// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/run_operator.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Adds the tensor and returns its index. If the tensor is a constant, also adds
// its bytes.
int32_t AddTensor(const TensorValue& value, const std::string& name,
                  ModelSpec* model) {
  std::vector<TensorDraft>& tensors = model->graphs[0].tensors;
  TensorDraft spec;
  spec.shape = value.shape;
  spec.type = static_cast<tflite::TensorType>(value.type);
  spec.name = name;
  spec.is_variable = value.is_variable;
  spec.scales = value.quantization.scales;
  spec.zero_points.assign(value.quantization.zero_points.begin(),
                          value.quantization.zero_points.end());
  spec.quantized_dimension = value.quantization.dimension;
  if (value.is_constant) {
    spec.buffer = static_cast<uint32_t>(model->buffers.size());
    model->buffers.push_back({value.bytes});
  }
  tensors.push_back(std::move(spec));
  return static_cast<int32_t>(tensors.size()) - 1;
}

}  // namespace

TensorValue TensorValue::Constant() const {
  TensorValue result = *this;
  result.is_constant = true;
  return result;
}

TensorValue TensorValue::Variable() const {
  TensorValue result = *this;
  result.is_variable = true;
  return result;
}

std::string ModelOf(const OperatorCase& c) {
  ModelSpec model;
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  OperatorDraft op;
  op.options = c.options;
  op.custom_options = c.custom_options;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const TensorValue& input = c.inputs[i];
    if (input.is_absent) {
      op.inputs.push_back(-1);
      continue;
    }
    op.inputs.push_back(AddTensor(input, absl::StrCat("input", i), &model));
    if (!input.is_constant && !input.is_variable) {
      graph.inputs.push_back(op.inputs.back());
    }
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    op.outputs.push_back(
        AddTensor(c.outputs[i], absl::StrCat("output", i), &model));
  }
  graph.outputs = op.outputs;
  const auto code =
      c.custom_code.empty() ? c.code : tflite::BuiltinOperator::CUSTOM;
  model.codes = {{code, c.custom_code, c.version}};
  graph.operators.push_back(std::move(op));
  return Build(model);
}

absl::StatusOr<std::vector<TensorValue>> RunOperator(const OperatorCase& c) {
  const std::string bytes = ModelOf(c);
  const auto model = Model::Parse(bytes, "test.tflite");
  if (!model.ok()) return model.status();
  const auto interpreter = Interpreter::Create(**model);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  for (int i = 0; status.ok() && i < c.invocations; ++i) {
    size_t next = 0;
    for (const TensorValue& input : c.inputs) {
      if (input.is_absent || input.is_constant || input.is_variable) continue;
      Tensor& tensor = graph.input(next++);
      if (tensor.bytes != input.bytes.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("test: input ", next - 1, " has ", tensor.bytes,
                         " bytes and is given ", input.bytes.size()));
      }
      if (tensor.bytes > 0) {
        std::memcpy(tensor.data, input.bytes.data(), tensor.bytes);
      }
    }
    status = graph.Invoke();
  }
  if (!status.ok()) return status;
  std::vector<TensorValue> outputs;
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const Tensor& tensor = graph.output(i);
    const absl::Span<const uint8_t> data = tensor.span<uint8_t>();
    outputs.push_back({tensor.type, tensor.shape, tensor.quantization,
                       std::vector<uint8_t>(data.begin(), data.end())});
  }
  return outputs;
}

std::string ErrorOf(const OperatorCase& c) {
  return std::string(RunOperator(c).status().message());
}

}  // namespace stowage::harness
