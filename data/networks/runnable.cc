// SPDX-License-Identifier: Apache-2.0
#include "data/networks/runnable.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"

namespace stowage::networks {
namespace {

using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;
using tflite::TensorType;

// The scale of all activations, which assumes values between -4 and 4.
constexpr float kScale = 1.0F / 32;
constexpr float kWeightScale = 1.0F / 256;

class Builder {
 public:
  Builder() {
    model_.description = "made by stowage_networks";
    model_.buffers.emplace_back();
    model_.graphs.emplace_back();
  }

  // Adds an activation of 8 bits and returns the tensor.
  int32_t Activation(std::vector<int32_t> shape, const std::string& name,
                     float scale = kScale, int64_t zero_point = 0) {
    return Add(std::move(shape), TensorType::INT8, name, {scale}, {zero_point},
               0, 0);
  }

  // Adds weights of 8 bits, with a scale for each slice along `dimension`.
  int32_t Weights(const std::vector<int32_t>& shape, const std::string& name,
                  int32_t dimension) {
    size_t count = 1;
    for (const int32_t d : shape) count *= static_cast<size_t>(d);
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(Draw() % 129 - 64);
    const auto slices =
        static_cast<size_t>(shape[static_cast<size_t>(dimension)]);
    std::vector<float> scales(slices);
    for (size_t i = 0; i < slices; ++i) {
      scales[i] = kWeightScale * (1.0F + static_cast<float>(i % 4) / 4);
    }
    return Add(shape, TensorType::INT8, name, scales,
               std::vector<int64_t>(slices, 0), dimension, Buffer(bytes));
  }

  // Adds a bias for each slice of the weights.
  int32_t Bias(int32_t weights) {
    const TensorDraft& of = graph().tensors[static_cast<size_t>(weights)];
    std::vector<float> scales = of.scales;
    for (float& scale : scales) scale *= kScale;
    std::vector<uint8_t> bytes(scales.size() * sizeof(int32_t));
    for (size_t i = 0; i < scales.size(); ++i) {
      const auto value = static_cast<int32_t>(Draw() % 2001) - 1000;
      std::memcpy(&bytes[i * sizeof(int32_t)], &value, sizeof(value));
    }
    const auto slices = static_cast<int32_t>(scales.size());
    return Add({slices}, TensorType::INT32, of.name + "_bias", scales,
               std::vector<int64_t>(scales.size(), 0), 0, Buffer(bytes));
  }

  int32_t Constant(const std::vector<int32_t>& values,
                   const std::string& name) {
    std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return Add({static_cast<int32_t>(values.size())}, TensorType::INT32, name,
               {}, {}, 0, Buffer(bytes));
  }

  template <typename Options>
  void Operator(BuiltinOperator code, std::vector<int32_t> inputs,
                int32_t output, const Options& options) {
    OperatorDraft& op = graph().operators.emplace_back();
    op.code = Code(code);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    op.options.Set(Options(options));
  }

  std::string Finish(int32_t input, int32_t output) {
    graph().inputs = {input};
    graph().outputs = {output};
    return Build(model_);
  }

 private:
  GraphSpec& graph() { return model_.graphs[0]; }

  // Returns the high bits of a linear congruential generator (D. Knuth, MMIX).
  uint32_t Draw() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<uint32_t>(state_ >> 33);
  }

  uint32_t Buffer(const std::vector<uint8_t>& bytes) {
    model_.buffers.push_back({bytes});
    return static_cast<uint32_t>(model_.buffers.size()) - 1;
  }

  uint32_t Code(BuiltinOperator code) {
    for (size_t i = 0; i < model_.codes.size(); ++i) {
      if (model_.codes[i].code == code) return static_cast<uint32_t>(i);
    }
    model_.codes.push_back({code});
    return static_cast<uint32_t>(model_.codes.size()) - 1;
  }

  int32_t Add(std::vector<int32_t> shape, TensorType type,
              const std::string& name, const std::vector<float>& scales,
              const std::vector<int64_t>& zero_points, int32_t dimension,
              uint32_t buffer) {
    TensorDraft& tensor = graph().tensors.emplace_back();
    tensor.shape = std::move(shape);
    tensor.type = type;
    tensor.name = name;
    tensor.buffer = buffer;
    tensor.scales = scales;
    tensor.zero_points = zero_points;
    tensor.quantized_dimension = dimension;
    return static_cast<int32_t>(graph().tensors.size()) - 1;
  }

  ModelSpec model_;
  uint64_t state_ = 1;
};

tflite::Conv2DOptionsT ConvOptions(int32_t stride,
                                   ActivationFunctionType activation) {
  tflite::Conv2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_w = stride;
  options.stride_h = stride;
  options.fused_activation_function = activation;
  return options;
}

void Conv(Builder* b, int32_t input, const std::vector<int32_t>& filter,
          int32_t stride, ActivationFunctionType activation, int32_t output,
          const std::string& name) {
  const int32_t weights = b->Weights(filter, name, 0);
  b->Operator(BuiltinOperator::CONV_2D, {input, weights, b->Bias(weights)},
              output, ConvOptions(stride, activation));
}

void DepthwiseConv(Builder* b, int32_t input, int32_t channels,
                   int32_t output) {
  const int32_t weights = b->Weights({1, 3, 3, channels}, "depthwise", 3);
  tflite::DepthwiseConv2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_w = 1;
  options.stride_h = 1;
  options.depth_multiplier = 1;
  options.fused_activation_function = ActivationFunctionType::RELU;
  b->Operator(BuiltinOperator::DEPTHWISE_CONV_2D,
              {input, weights, b->Bias(weights)}, output, options);
}

// Appends the average, the classes and their probabilities.
int32_t Head(Builder* b, int32_t features) {
  const int32_t pooled = b->Activation({1, 1, 1, 16}, "pooled");
  tflite::Pool2DOptionsT pool;
  pool.padding = tflite::Padding::VALID;
  pool.stride_w = 1;
  pool.stride_h = 1;
  pool.filter_width = 8;
  pool.filter_height = 8;
  b->Operator(BuiltinOperator::AVERAGE_POOL_2D, {features}, pooled, pool);
  const int32_t flat = b->Activation({1, 16}, "flat");
  b->Operator(BuiltinOperator::RESHAPE, {pooled, b->Constant({1, 16}, "shape")},
              flat, tflite::ReshapeOptionsT());
  const int32_t scores = b->Activation({1, 10}, "scores");
  const int32_t weights = b->Weights({10, 16}, "dense", 0);
  b->Operator(BuiltinOperator::FULLY_CONNECTED,
              {flat, weights, b->Bias(weights)}, scores,
              tflite::FullyConnectedOptionsT());
  const int32_t output =
      b->Activation({1, 10}, "probabilities", 1.0F / 256, -128);
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b->Operator(BuiltinOperator::SOFTMAX, {scores}, output, softmax);
  return output;
}

}  // namespace

std::string RunnableModel() {
  Builder b;
  const int32_t image = b.Activation({1, 16, 16, 1}, "image");
  const int32_t stem = b.Activation({1, 16, 16, 8}, "stem_out");
  Conv(&b, image, {8, 3, 3, 1}, 1, ActivationFunctionType::RELU, stem, "stem");
  const int32_t spread = b.Activation({1, 16, 16, 8}, "depthwise_out");
  DepthwiseConv(&b, stem, 8, spread);
  const int32_t mixed = b.Activation({1, 16, 16, 8}, "pointwise_out");
  Conv(&b, spread, {8, 1, 1, 8}, 1, ActivationFunctionType::NONE, mixed,
       "pointwise");
  const int32_t sum = b.Activation({1, 16, 16, 8}, "sum");
  tflite::AddOptionsT add;
  add.fused_activation_function = ActivationFunctionType::RELU;
  b.Operator(BuiltinOperator::ADD, {stem, mixed}, sum, add);
  const int32_t features = b.Activation({1, 8, 8, 16}, "features");
  Conv(&b, sum, {16, 3, 3, 8}, 2, ActivationFunctionType::RELU, features,
       "reduce");
  const int32_t output = Head(&b, features);
  return b.Finish(image, output);
}

}  // namespace stowage::networks
