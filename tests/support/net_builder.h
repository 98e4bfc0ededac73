// SPDX-License-Identifier: Apache-2.0
// Builds a model operator by operator.
//
//   NetBuilder net;
//   const int32_t x = net.Input({1, 4});
//   const int32_t y = net.Add(BuiltinOperator::ABS, {x}, {1, 4});
//   net.MarkOutput(y);
#ifndef STOWAGE_TESTS_SUPPORT_NET_BUILDER_H_
#define STOWAGE_TESTS_SUPPORT_NET_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"

namespace stowage {

class NetBuilder {
 public:
  using Shape = std::vector<int32_t>;

  NetBuilder() {
    spec_.buffers.emplace_back();  // the buffer of tensors without data
    spec_.graphs.emplace_back();
  }

  // Sets the type of all tensors that are added after this call. If `scale` is
  // not 0, also sets the quantization of these tensors.
  void SetType(tflite::TensorType type, float scale = 0, int zero_point = 0) {
    prototype_.type = type;
    prototype_.scales.clear();
    prototype_.zero_points.clear();
    if (scale == 0) return;
    prototype_.scales = {scale};
    prototype_.zero_points = {zero_point};
  }

  int32_t Tensor(const Shape& shape) {
    TensorDraft tensor = prototype_;
    tensor.shape = shape;
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph().tensors.size()) - 1;
  }

  int32_t Input(const Shape& shape) {
    graph().inputs.push_back(Tensor(shape));
    return graph().inputs.back();
  }

  int32_t Variable(const Shape& shape) {
    const int32_t tensor = Tensor(shape);
    graph().tensors.back().is_variable = true;
    return tensor;
  }

  template <typename T>
  int32_t Constant(const Shape& shape, const std::vector<T>& values) {
    const int32_t tensor = Tensor(shape);
    graph().tensors.back().buffer = static_cast<uint32_t>(spec_.buffers.size());
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    spec_.buffers.push_back({std::move(bytes)});
    return tensor;
  }

  // Adds a constant INT32 tensor, such as axes, a shape or paddings. Does not
  // change the type that SetType has set.
  int32_t Numbers(const Shape& shape, const std::vector<int32_t>& values) {
    const TensorDraft prototype = prototype_;
    SetType(tflite::TensorType::INT32);
    const int32_t tensor = Constant(shape, values);
    prototype_ = prototype;
    return tensor;
  }
  int32_t List(const std::vector<int32_t>& values) {
    return Numbers({static_cast<int32_t>(values.size())}, values);
  }

  // Adds an operator with one output, and returns the output. `options` is one
  // of the option types of the format, such as tflite::AddOptionsT.
  template <typename Options>
  int32_t Add(tflite::BuiltinOperator code, std::vector<int32_t> inputs,
              const Shape& shape, Options options) {
    const int32_t output = Add(code, std::move(inputs), shape);
    graph().operators.back().options.Set(std::move(options));
    return output;
  }
  int32_t Add(tflite::BuiltinOperator code, std::vector<int32_t> inputs,
              const Shape& shape) {
    const int32_t output = Tensor(shape);
    AddOperator(code, std::move(inputs), {output});
    return output;
  }

  // Adds an operator with any number of outputs. The caller must set its
  // options.
  OperatorDraft& AddOperator(tflite::BuiltinOperator code,
                             std::vector<int32_t> inputs,
                             std::vector<int32_t> outputs,
                             const std::string& custom_code = "") {
    OperatorDraft& op = graph().operators.emplace_back();
    op.code = static_cast<uint32_t>(spec_.codes.size());
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    spec_.codes.push_back({code, custom_code, 1});
    return op;
  }

  void MarkOutput(int32_t tensor) { graph().outputs.push_back(tensor); }

  // Begins the next subgraph. All tensors and operators added after this call
  // belong to it.
  void BeginSubgraph() { spec_.graphs.emplace_back(); }

  GraphSpec& graph() { return spec_.graphs.back(); }
  const ModelSpec& spec() const { return spec_; }

 private:
  ModelSpec spec_;
  TensorDraft prototype_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_NET_BUILDER_H_
