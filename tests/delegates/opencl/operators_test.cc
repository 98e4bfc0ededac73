// SPDX-License-Identifier: Apache-2.0
// Runs every operator of the delegate in a model of its own, and compares the
// results with those of the interpreter's kernels. 8-bit results must be equal;
// FLOAT32 results may differ by 1e-5 of the largest one. Each operand is
// followed by a page that cannot be accessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model_schema/model_generated.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using support::DistanceOf;
using support::LargestOf;
using support::RecordedGraph;
using support::RecordRun;
using support::RunLoneNode;
using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;
using tflite::Padding;
using Type = ElementType;

const std::vector<Type>& Types() {
  static const auto* const types =
      new std::vector<Type>{Type::kFloat32, Type::kInt8, Type::kUint8};
  return *types;
}

// Returns a tensor without content, for use as an input or an output. If the
// tensor is quantized, it has the given scale and zero point.
TensorValue Image(Type type, Shape shape, float scale = 0.05F,
                  int32_t zero_point = 3) {
  TensorValue value = Output(type, std::move(shape));
  if (type != Type::kFloat32) value.quantization = Scaled(scale, zero_point);
  return value;
}

class OpenclOperators : public testing::Test {
 protected:
  OpenclOperators() {
    absl::StatusOr<std::unique_ptr<Delegate>> delegate =
        CreateDelegate("opencl");
    if (delegate.ok()) {
      delegate_ = *std::move(delegate);
    } else {
      reason_ = delegate.status();
    }
  }
  void SetUp() override {
    if (delegate_ == nullptr) GTEST_SKIP() << reason_;
  }

  // Returns a constant of the given type with random elements. FLOAT32 elements
  // are in [-1, 1), and INT32 elements are in [-1000, 1000).
  TensorValue Constant(Type type, Shape shape, Quantization quantization = {}) {
    TensorValue value = Output(type, std::move(shape), std::move(quantization));
    const int64_t count = ElementCount(value.shape).value();
    for (int64_t i = 0; i < count; ++i) {
      if (type == Type::kFloat32) {
        Append(static_cast<float>(random_() >> 8) / float{1 << 23} - 1, &value);
      } else if (type == Type::kInt32) {
        Append(static_cast<int32_t>(random_() % 2000) - 1000, &value);
      } else {
        Append(static_cast<uint8_t>(random_()), &value);
      }
    }
    return value.Constant();
  }
  TensorValue Weights(Type type, Shape shape) {
    if (type == Type::kFloat32) return Constant(type, std::move(shape));
    return Constant(type, std::move(shape),
                    Scaled(0.02F, type == Type::kUint8 ? 120 : 0));
  }
  TensorValue Bias(Type type, int32_t channels) {
    return Constant(type == Type::kFloat32 ? type : Type::kInt32, {channels});
  }

  // Runs the operator in the interpreter, and prepares the delegate for the
  // graph that contains the operator.
  void Load(const OperatorCase& c) {
    file_ = ModelOf(c);
    auto model = Model::Parse(file_, "operator");
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = RecordRun(*model_, /*seed=*/5);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
    graph_ =
        std::make_unique<RecordedGraph>(interpreter_->primary(), resolver_);
    ASSERT_TRUE(delegate_->Prepare(*graph_).ok());
  }

  void ExpectEqual(const OperatorCase& c) {
    Load(c);
    const std::string place = graph_->spec().OperatorPlace(0) + " to " +
                              ElementTypeName(c.outputs[0].type);
    ASSERT_TRUE(delegate_->CanRun(*graph_, 0)) << place;
    const auto output = RunLoneNode(*delegate_, *graph_, 0, /*times=*/2);
    ASSERT_TRUE(output.ok()) << place << ": " << output.status();
    const Tensor& expected = interpreter_->primary().output(0);
    EXPECT_LE(DistanceOf(expected, *output),
              expected.type == Type::kFloat32 ? 1e-5 * LargestOf(expected) : 0)
        << place;
  }

  void ExpectRefused(const OperatorCase& c) {
    Load(c);
    EXPECT_FALSE(delegate_->CanRun(*graph_, 0))
        << graph_->spec().OperatorPlace(0);
  }

  template <typename T>
  static void Append(T element, TensorValue* value) {
    const size_t size = value->bytes.size();
    value->bytes.resize(size + sizeof(T));
    std::memcpy(value->bytes.data() + size, &element, sizeof(T));
  }

  std::unique_ptr<Delegate> delegate_;
  absl::Status reason_;
  std::mt19937 random_{1};
  OperatorResolver resolver_ = BuiltinOperators();
  std::string file_;
  std::unique_ptr<const Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
  std::unique_ptr<RecordedGraph> graph_;
};

template <typename Options>
OperatorCase Case(BuiltinOperator code, Options options,
                  std::vector<TensorValue> inputs, TensorValue output) {
  OperatorCase c{code};
  c.options.Set(std::move(options));
  c.inputs = std::move(inputs);
  c.outputs = {std::move(output)};
  return c;
}

OperatorCase Case(BuiltinOperator code, std::vector<TensorValue> inputs,
                  TensorValue output) {
  OperatorCase c{code};
  c.inputs = std::move(inputs);
  c.outputs = {std::move(output)};
  return c;
}

tflite::Conv2DOptionsT ConvOptions(Padding padding, int32_t stride,
                                   int32_t dilation) {
  tflite::Conv2DOptionsT options;
  options.padding = padding;
  options.stride_h = stride;
  options.stride_w = stride + 1;
  options.dilation_h_factor = dilation;
  options.dilation_w_factor = dilation + 1;
  options.fused_activation_function = ActivationFunctionType::RELU6;
  return options;
}

TEST_F(OpenclOperators, Conv2D) {
  for (const Type type : Types()) {
    // The delegate computes 7 filters as a block of 4 and a block of 3.
    ExpectEqual(Case(
        BuiltinOperator::CONV_2D, ConvOptions(Padding::SAME, 2, 1),
        {Image(type, {2, 9, 8, 5}), Weights(type, {7, 3, 2, 5}), Bias(type, 7)},
        Image(type, {2, 5, 3, 7}, 0.4F)));
    ExpectEqual(Case(BuiltinOperator::CONV_2D,
                     ConvOptions(Padding::VALID, 1, 2),
                     {Image(type, {1, 9, 9, 3}), Weights(type, {4, 3, 3, 3})},
                     Image(type, {1, 5, 2, 4}, 0.4F)));
    ExpectEqual(Case(BuiltinOperator::CONV_2D, ConvOptions(Padding::SAME, 1, 1),
                     {Image(type, {1, 4, 4, 6}), Weights(type, {10, 3, 3, 3}),
                      Bias(type, 10)},
                     Image(type, {1, 4, 2, 10}, 0.4F)));
  }
}

TEST_F(OpenclOperators, ConvolutionsWithAScaleForEachChannel) {
  const auto scales = [](int32_t dimension) {
    return Quantization{{0.01F, 0.02F, 0.5F, 0.001F, 0.3F, 0.04F},
                        {0, 0, 0, 0, 0, 0},
                        dimension};
  };
  ExpectEqual(Case(
      BuiltinOperator::CONV_2D, ConvOptions(Padding::SAME, 1, 1),
      {Image(Type::kInt8, {1, 6, 6, 4}),
       Constant(Type::kInt8, {6, 3, 3, 4}, scales(0)), Bias(Type::kInt8, 6)},
      Image(Type::kInt8, {1, 6, 3, 6}, 0.4F)));
  tflite::DepthwiseConv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.depth_multiplier = 3;
  ExpectEqual(Case(
      BuiltinOperator::DEPTHWISE_CONV_2D, options,
      {Image(Type::kInt8, {1, 6, 6, 2}),
       Constant(Type::kInt8, {1, 3, 3, 6}, scales(3)), Bias(Type::kInt8, 6)},
      Image(Type::kInt8, {1, 6, 6, 6}, 0.4F)));
}

TEST_F(OpenclOperators, DepthwiseConv2D) {
  for (const Type type : Types()) {
    for (const int32_t multiplier : {1, 3}) {
      tflite::DepthwiseConv2DOptionsT options;
      options.stride_h = 2;
      options.stride_w = 1;
      options.dilation_h_factor = 1;
      options.dilation_w_factor = 2;
      options.depth_multiplier = multiplier;
      const int32_t filters = 5 * multiplier;
      ExpectEqual(Case(BuiltinOperator::DEPTHWISE_CONV_2D, options,
                       {Image(type, {2, 9, 8, 5}),
                        Weights(type, {1, 3, 2, filters}), Bias(type, filters)},
                       Image(type, {2, 5, 8, filters}, 0.2F)));
    }
  }
}

TEST_F(OpenclOperators, FullyConnected) {
  for (const Type type : Types()) {
    tflite::FullyConnectedOptionsT options;
    ExpectEqual(
        Case(BuiltinOperator::FULLY_CONNECTED, options,
             {Image(type, {3, 2, 10}), Weights(type, {5, 20}), Bias(type, 5)},
             Image(type, {3, 5}, 0.3F)));
    options.keep_num_dims = true;
    options.fused_activation_function = ActivationFunctionType::RELU;
    ExpectEqual(
        Case(BuiltinOperator::FULLY_CONNECTED, options,
             {Image(type, {3, 2, 10}), Weights(type, {8, 10}), Absent()},
             Image(type, {3, 2, 8}, 0.3F)));
  }
}

TEST_F(OpenclOperators, FunctionsOfTwo) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 3, 4, 5}, {2, 3, 4, 5}},
      {{2, 3, 4, 5}, {5}},
      {{3, 1, 5}, {2, 3, 4, 1}},
      {{}, {2, 3, 4, 5}},
      {{2, 1, 3, 4, 5}, {2, 1, 3, 4, 5}}};
  for (const Type type : Types()) {
    for (const auto& [a, b] : shapes) {
      const Shape out = a.size() == 5 ? a : Shape{2, 3, 4, 5};
      const std::vector<TensorValue> inputs = {Image(type, a, 0.1F, 0),
                                               Image(type, b, 0.04F, 9)};
      tflite::AddOptionsT add;
      add.fused_activation_function = ActivationFunctionType::RELU;
      ExpectEqual(Case(BuiltinOperator::ADD, add, inputs, Image(type, out)));
      ExpectEqual(Case(BuiltinOperator::SUB, tflite::SubOptionsT(), inputs,
                       Image(type, out, 0.07F)));
      ExpectEqual(Case(BuiltinOperator::MUL, tflite::MulOptionsT(), inputs,
                       Image(type, out, 0.3F)));
    }
  }
}

TEST_F(OpenclOperators, Pooling) {
  for (const Type type : Types()) {
    for (const Padding padding : {Padding::SAME, Padding::VALID}) {
      for (const BuiltinOperator code :
           {BuiltinOperator::AVERAGE_POOL_2D, BuiltinOperator::MAX_POOL_2D}) {
        tflite::Pool2DOptionsT options;
        options.padding = padding;
        options.filter_height = 3;
        options.filter_width = 2;
        options.stride_h = 2;
        options.stride_w = 1;
        options.fused_activation_function = ActivationFunctionType::RELU;
        const bool is_same = padding == Padding::SAME;
        ExpectEqual(
            Case(code, options, {Image(type, {2, 8, 7, 3})},
                 Image(type, {2, is_same ? 4 : 3, is_same ? 7 : 6, 3})));
      }
    }
  }
}

TEST_F(OpenclOperators, Mean) {
  struct Reduction {
    std::vector<int32_t> axes;
    Shape shape;
  };
  const std::vector<Reduction> reductions = {{{1, 2}, {2, 5}},
                                             {{-1}, {2, 3, 4}},
                                             {{0}, {3, 4, 5}},
                                             {{0, 1, 2, 3}, {}},
                                             {{2, 1, -3}, {2, 5}}};
  for (const Type type : Types()) {
    for (const Reduction& reduction : reductions) {
      for (const float scale : {0.05F, 0.01F}) {
        const auto count = static_cast<int32_t>(reduction.axes.size());
        ExpectEqual(Case(BuiltinOperator::MEAN, tflite::ReducerOptionsT(),
                         {Image(type, {2, 3, 4, 5}),
                          Values<int32_t>({count}, reduction.axes).Constant()},
                         Image(type, reduction.shape, scale)));
      }
    }
  }
}

TEST_F(OpenclOperators, Pad) {
  for (const Type type : Types()) {
    ExpectEqual(
        Case(BuiltinOperator::PAD, tflite::PadOptionsT(),
             {Image(type, {2, 3, 4, 5}),
              Values<int32_t>({4, 2}, {0, 1, 1, 1, 2, 0, 0, 3}).Constant()},
             Image(type, {3, 5, 6, 8})));
    ExpectEqual(Case(
        BuiltinOperator::PAD, tflite::PadOptionsT(),
        {Image(type, {4, 5}), Values<int32_t>({2, 2}, {0, 1, 2, 0}).Constant()},
        Image(type, {5, 7})));
  }
}

TEST_F(OpenclOperators, Softmax) {
  for (const Type type : Types()) {
    tflite::SoftmaxOptionsT options;
    for (const float beta : {1.0F, 0.3F}) {
      options.beta = beta;
      const int32_t least = type == Type::kInt8 ? -128 : 0;
      for (const int32_t depth : {1, 10, 1001}) {
        ExpectEqual(Case(BuiltinOperator::SOFTMAX, options,
                         {Image(type, {3, depth})},
                         Image(type, {3, depth}, 1.0F / 256, least)));
      }
    }
  }
}

TEST_F(OpenclOperators, FunctionsOfOne) {
  for (const Type type : Types()) {
    for (const BuiltinOperator code :
         {BuiltinOperator::RELU, BuiltinOperator::RELU6,
          BuiltinOperator::RELU_N1_TO_1, BuiltinOperator::RELU_0_TO_1}) {
      ExpectEqual(
          Case(code, {Image(type, {7, 100})}, Image(type, {7, 100}, 0.03F)));
    }
    if (type == Type::kFloat32) continue;
    tflite::LeakyReluOptionsT leaky;
    leaky.alpha = 0.2F;
    ExpectEqual(Case(BuiltinOperator::LEAKY_RELU, leaky, {Image(type, {700})},
                     Image(type, {700})));
    ExpectEqual(Case(BuiltinOperator::HARD_SWISH, {Image(type, {700})},
                     Image(type, {700})));
    const bool is_signed = type == Type::kInt8;
    ExpectEqual(Case(BuiltinOperator::LOGISTIC, {Image(type, {700})},
                     Image(type, {700}, 1.0F / 256, is_signed ? -128 : 0)));
    ExpectEqual(Case(BuiltinOperator::TANH, {Image(type, {700})},
                     Image(type, {700}, 1.0F / 128, is_signed ? 0 : 128)));
  }
}

TEST_F(OpenclOperators, Conversions) {
  for (const Type from : Types()) {
    for (const Type to : {Type::kInt8, Type::kUint8}) {
      ExpectEqual(Case(BuiltinOperator::QUANTIZE, {Image(from, {3, 300})},
                       Image(to, {3, 300}, 0.006F, 12)));
    }
    if (from == Type::kFloat32) continue;
    ExpectEqual(Case(BuiltinOperator::DEQUANTIZE, {Image(from, {3, 300})},
                     Image(Type::kFloat32, {3, 300})));
  }
}

TEST_F(OpenclOperators, OtherShapes) {
  for (const Type type : Types()) {
    ExpectEqual(
        Case(BuiltinOperator::RESHAPE, tflite::ReshapeOptionsT(),
             {Image(type, {4, 6}), Values<int32_t>({3}, {2, 2, -1}).Constant()},
             Image(type, {2, 2, 6})));
    ExpectEqual(Case(BuiltinOperator::SQUEEZE, tflite::SqueezeOptionsT(),
                     {Image(type, {1, 4, 1, 6})}, Image(type, {4, 6})));
    ExpectEqual(
        Case(BuiltinOperator::EXPAND_DIMS, tflite::ExpandDimsOptionsT(),
             {Image(type, {4, 6}), Values<int32_t>({1}, {1}).Constant()},
             Image(type, {4, 1, 6})));
  }
}

TEST_F(OpenclOperators, RefusesWhatHasNoKernel) {
  const TensorValue wide = Output(Type::kInt16, {2, 3}, Scaled(0.1F, 0));
  ExpectRefused(
      Case(BuiltinOperator::ADD, tflite::AddOptionsT(), {wide, wide}, wide));
  ExpectRefused(
      Case(BuiltinOperator::QUANTIZE, {Image(Type::kFloat32, {2, 3})}, wide));
  ExpectRefused(Case(BuiltinOperator::LOGISTIC, {Image(Type::kFloat32, {6})},
                     Image(Type::kFloat32, {6})));
  ExpectRefused(Case(BuiltinOperator::ABS, {Image(Type::kFloat32, {6})},
                     Image(Type::kFloat32, {6})));
  // The delegate does not claim hybrid operators, which have FLOAT32 inputs and
  // 8-bit weights.
  ExpectRefused(
      Case(BuiltinOperator::FULLY_CONNECTED, tflite::FullyConnectedOptionsT(),
           {Image(Type::kFloat32, {1, 4}), Weights(Type::kInt8, {3, 4})},
           Image(Type::kFloat32, {1, 3})));
  ExpectRefused(
      Case(BuiltinOperator::ADD, tflite::AddOptionsT(),
           {Image(Type::kFloat32, {2, 3, 4, 5, 6}), Image(Type::kFloat32, {6})},
           Image(Type::kFloat32, {2, 3, 4, 5, 6})));
  ExpectRefused(Case(BuiltinOperator::MEAN, tflite::ReducerOptionsT(),
                     {Image(Type::kFloat32, {2, 3, 4}),
                      Values<int32_t>({2}, {0, 2}).Constant()},
                     Image(Type::kFloat32, {3})));
  // Kernels count in 32 bits, which is too little for a dilation of 2^30.
  ExpectRefused(Case(BuiltinOperator::CONV_2D,
                     ConvOptions(Padding::SAME, 1, 1 << 30),
                     {Image(Type::kFloat32, {1, 4, 4, 1}),
                      Weights(Type::kFloat32, {1, 5, 1, 1})},
                     Image(Type::kFloat32, {1, 4, 2, 1})));
  ExpectRefused(Case(BuiltinOperator::RELU, {Image(Type::kFloat32, {2, 0})},
                     Image(Type::kFloat32, {2, 0})));
  ExpectRefused(
      Case(BuiltinOperator::ADD, tflite::AddOptionsT(),
           {Image(Type::kFloat32, {6}), Image(Type::kFloat32, {6}).Variable()},
           Image(Type::kFloat32, {6})));
}

}  // namespace
}  // namespace stowage::harness
