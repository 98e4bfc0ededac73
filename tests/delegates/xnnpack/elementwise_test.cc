// SPDX-License-Identifier: Apache-2.0
// Compares XNNPACK with the kernels of this library for elementwise functions,
// SOFTMAX, and operators that move elements.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "rapidcheck/gtest.h"
#include "tests/delegates/xnnpack/one_operator.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Shape AnyShape(int min_rank, int max_rank) {
  Shape shape;
  const int rank = *rc::gen::inRange(min_rank, max_rank + 1);
  for (int i = 0; i < rank; ++i) shape.push_back(*rc::gen::inRange(1, 6));
  return shape;
}

// Returns a random shape that broadcasts to `shape`: the last dimensions of
// `shape`, with some of them replaced by 1.
Shape AnyPartOf(const Shape& shape) {
  const auto kept =
      static_cast<ptrdiff_t>(*rc::gen::inRange<size_t>(0, shape.size() + 1));
  Shape part(shape.end() - kept, shape.end());
  for (int32_t& d : part) {
    if (*rc::gen::inRange(0, 3) == 0) d = 1;
  }
  return part;
}

OperatorCase BinaryCase(BuiltinOperator code, ElementType type) {
  const Shape shape = AnyShape(0, 6);
  OperatorCase c{code};
  c.inputs = {AnyTensor(type, shape), AnyTensor(type, AnyPartOf(shape))};
  if (*rc::gen::arbitrary<bool>()) c.inputs[1] = c.inputs[1].Constant();
  if (*rc::gen::arbitrary<bool>()) std::swap(c.inputs[0], c.inputs[1]);
  c.outputs = {Output(type, shape, AnyQuantization(type))};
  return c;
}

template <typename Options>
void SetActivation(OperatorCase* c) {
  Options options;
  options.fused_activation_function = *rc::gen::element(
      ActivationFunctionType::NONE, ActivationFunctionType::RELU,
      ActivationFunctionType::RELU6, ActivationFunctionType::RELU_N1_TO_1);
  c->options.Set(options);
}

RC_GTEST_PROP(XnnpackElementwise, AddsSubtractsAndMultiplies, ()) {
  const BuiltinOperator code = *rc::gen::element(
      BuiltinOperator::ADD, BuiltinOperator::SUB, BuiltinOperator::MUL);
  OperatorCase c = BinaryCase(code, AnyDataType());
  if (code == BuiltinOperator::ADD) SetActivation<tflite::AddOptionsT>(&c);
  if (code == BuiltinOperator::SUB) SetActivation<tflite::SubOptionsT>(&c);
  if (code == BuiltinOperator::MUL) {
    SetActivation<tflite::MulOptionsT>(&c);
    Quantization& q = c.outputs[0].quantization;
    for (float& scale : q.scales) scale *= 4;
  }
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

RC_GTEST_PROP(XnnpackElementwise, ComputesRealFunctionsOfTwo, ()) {
  const BuiltinOperator code = *rc::gen::element(
      BuiltinOperator::DIV, BuiltinOperator::MAXIMUM, BuiltinOperator::MINIMUM,
      BuiltinOperator::SQUARED_DIFFERENCE);
  OperatorCase c = BinaryCase(code, ElementType::kFloat32);
  if (code == BuiltinOperator::DIV) SetActivation<tflite::DivOptionsT>(&c);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

// Returns an operator with one input and one output.
OperatorCase UnaryCase(BuiltinOperator code, const TensorValue& input) {
  OperatorCase c{code};
  c.inputs = {input};
  c.outputs = {Output(input.type, input.shape, input.quantization)};
  return c;
}

RC_GTEST_PROP(XnnpackElementwise, ComputesRealFunctionsOfOne, ()) {
  const BuiltinOperator code = *rc::gen::element(
      BuiltinOperator::ABS, BuiltinOperator::CEIL, BuiltinOperator::FLOOR,
      BuiltinOperator::HARD_SWISH, BuiltinOperator::LOGISTIC,
      BuiltinOperator::NEG, BuiltinOperator::RELU, BuiltinOperator::RELU6,
      BuiltinOperator::RELU_0_TO_1, BuiltinOperator::RELU_N1_TO_1,
      BuiltinOperator::ROUND, BuiltinOperator::SQUARE);
  const OperatorCase c =
      UnaryCase(code, AnyTensor(ElementType::kFloat32, AnyShape(0, 5)));
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

// XNNPACK's LOGISTIC overflows beyond about 1e15, so larger numbers are not
// used.
TEST(XnnpackElementwise, ComputesRealFunctionsOfExtremeNumbers) {
  std::vector<float> numbers = {0.0F,    -0.0F,  0.5F,    1.5F,       2.5F,
                                -0.5F,   -1.5F,  1e15F,   -1e15F,     1e-40F,
                                -1e-40F, 200.0F, -200.0F, 16777217.0F};
  EXPECT_EQ(CompareByXnnpack(UnaryCase(BuiltinOperator::LOGISTIC,
                                       Values<float>({14}, numbers))),
            "");
  numbers[0] = kInfinity;
  numbers[1] = -kInfinity;
  for (const BuiltinOperator code :
       {BuiltinOperator::ABS, BuiltinOperator::CEIL, BuiltinOperator::FLOOR,
        BuiltinOperator::NEG, BuiltinOperator::RELU, BuiltinOperator::RELU6,
        BuiltinOperator::ROUND, BuiltinOperator::SQUARE}) {
    EXPECT_EQ(CompareByXnnpack(UnaryCase(code, Values<float>({14}, numbers))),
              "")
        << tflite::EnumNameBuiltinOperator(code);
  }
}

RC_GTEST_PROP(XnnpackElementwise, TakesSquareRoots, ()) {
  TensorValue input = AnyTensor(ElementType::kFloat32, AnyShape(1, 3));
  // The elements must not be negative.
  for (size_t i = 3; i < input.bytes.size(); i += 4) input.bytes[i] &= 0x7F;
  RC_ASSERT(CompareByXnnpack(UnaryCase(BuiltinOperator::SQRT, input)) ==
            std::string());
}

TEST(XnnpackElementwise, TakesSquareRootsOfExtremeNumbers) {
  EXPECT_EQ(
      CompareByXnnpack(UnaryCase(
          BuiltinOperator::SQRT,
          Values<float>({6}, {0.0F, 1e-40F, 1e-30F, 1.0F, 1e30F, kInfinity}))),
      "");
}

RC_GTEST_PROP(XnnpackElementwise, ClampsQuantizedNumbers, ()) {
  const ElementType type =
      *rc::gen::element(ElementType::kInt8, ElementType::kUint8);
  const BuiltinOperator code = *rc::gen::element(
      BuiltinOperator::RELU, BuiltinOperator::RELU6,
      BuiltinOperator::RELU_0_TO_1, BuiltinOperator::RELU_N1_TO_1);
  OperatorCase c = UnaryCase(code, AnyTensor(type, AnyShape(1, 4)));
  RC_ASSERT(CompareByXnnpack(c) == std::string());
  c.outputs[0].quantization.scales[0] *= 2;
  RC_ASSERT(!IsClaimedByXnnpack(c));
}

// The quantized outputs of these functions have a different scale from the
// inputs.
RC_GTEST_PROP(XnnpackElementwise, ComputesFunctionsOfTables, ()) {
  const ElementType type =
      *rc::gen::element(ElementType::kInt8, ElementType::kUint8);
  const bool is_signed = type == ElementType::kInt8;
  OperatorCase logistic =
      UnaryCase(BuiltinOperator::LOGISTIC, AnyTensor(type, AnyShape(1, 4)));
  logistic.outputs[0].quantization = Scaled(1.0F / 256, is_signed ? -128 : 0);
  RC_ASSERT(CompareByXnnpack(logistic) == std::string());
  OperatorCase tanh =
      UnaryCase(BuiltinOperator::TANH, AnyTensor(type, AnyShape(1, 4)));
  tanh.outputs[0].quantization = Scaled(1.0F / 128, is_signed ? 0 : 128);
  RC_ASSERT(CompareByXnnpack(tanh) == std::string());
}

RC_GTEST_PROP(XnnpackElementwise, ComputesLeakyRelu, ()) {
  const ElementType type =
      *rc::gen::element(ElementType::kFloat32, ElementType::kUint8);
  OperatorCase c =
      UnaryCase(BuiltinOperator::LEAKY_RELU, AnyTensor(type, AnyShape(1, 4)));
  c.outputs[0].quantization = AnyQuantization(type);
  tflite::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(*rc::gen::inRange(1, 64)) / 64;
  c.options.Set(options);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

RC_GTEST_PROP(XnnpackElementwise, ComputesPrelu, ()) {
  const Shape shape = AnyShape(1, 4);
  OperatorCase c = UnaryCase(BuiltinOperator::PRELU,
                             AnyTensor(ElementType::kFloat32, shape));
  c.inputs.push_back(
      AnyTensor(ElementType::kFloat32, {shape.back()}).Constant());
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

TEST(XnnpackElementwise, RefusesPreluWithSlopesForMoreThanChannels) {
  OperatorCase c =
      UnaryCase(BuiltinOperator::PRELU, Values<float>({2, 2}, {1, -2, 3, -4}));
  c.inputs.push_back(Values<float>({2, 2}, {1, 2, 3, 4}).Constant());
  EXPECT_FALSE(IsClaimedByXnnpack(c));
  c.inputs[1] = Values<float>({2, 1}, {1, 2}).Constant();
  EXPECT_FALSE(IsClaimedByXnnpack(c));
  c.inputs[1] = Values<float>({1, 2}, {1, 2}).Constant();
  EXPECT_TRUE(IsClaimedByXnnpack(c));
}

RC_GTEST_PROP(XnnpackElementwise, ComputesSoftmax, ()) {
  const ElementType type =
      *rc::gen::element(ElementType::kFloat32, ElementType::kUint8);
  OperatorCase c =
      UnaryCase(BuiltinOperator::SOFTMAX, AnyTensor(type, AnyShape(1, 4)));
  if (type == ElementType::kUint8) {
    c.outputs[0].quantization = Scaled(1.0F / 256, 0);
  }
  tflite::SoftmaxOptionsT options;
  options.beta = 1;
  c.options.Set(options);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

TEST(XnnpackElementwise, RefusesSoftmaxOfAnotherBase) {
  OperatorCase c =
      UnaryCase(BuiltinOperator::SOFTMAX, Values<float>({3}, {1, 2, 3}));
  tflite::SoftmaxOptionsT options;
  options.beta = 0.5F;
  c.options.Set(options);
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

TEST(XnnpackElementwise, RefusesSevenDimensions) {
  const TensorValue x = Values<float>({1, 1, 1, 1, 1, 1, 2}, {1, 2});
  OperatorCase add{BuiltinOperator::ADD};
  add.inputs = {x, x};
  add.outputs = {Output(x.type, x.shape)};
  EXPECT_FALSE(IsClaimedByXnnpack(add));
  EXPECT_TRUE(IsClaimedByXnnpack(UnaryCase(BuiltinOperator::NEG, x)));
}

TEST(XnnpackElementwise, RefusesScalesOfSumsThatXnnpackLacks) {
  OperatorCase c{BuiltinOperator::ADD};
  c.inputs = {{ElementType::kInt8, {2}, Scaled(1, 0), {1, 2}},
              {ElementType::kInt8, {2}, Scaled(1, 0), {1, 2}}};
  c.outputs = {Output(ElementType::kInt8, {2}, Scaled(1, 0))};
  EXPECT_TRUE(IsClaimedByXnnpack(c));
  c.inputs[0].quantization.scales[0] = 256;
  EXPECT_FALSE(IsClaimedByXnnpack(c));
  c.inputs[0].quantization.scales[0] = 0x1p-11F;
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

TEST(XnnpackElementwise, RefusesTypesThatXnnpackLacks) {
  OperatorCase add{BuiltinOperator::ADD};
  add.inputs = {Values<int32_t>({2}, {1, 2}), Values<int32_t>({2}, {1, 2})};
  add.outputs = {Output(ElementType::kInt32, {2})};
  EXPECT_FALSE(IsClaimedByXnnpack(add));
  const TensorValue x{ElementType::kInt8, {2}, Scaled(1, 0), {1, 2}};
  for (const BuiltinOperator code :
       {BuiltinOperator::ABS, BuiltinOperator::LEAKY_RELU,
        BuiltinOperator::HARD_SWISH}) {
    EXPECT_FALSE(IsClaimedByXnnpack(UnaryCase(code, x)));
  }
}

RC_GTEST_PROP(XnnpackElementwise, ConvertsTypes, ()) {
  const ElementType type =
      *rc::gen::element(ElementType::kInt8, ElementType::kUint8);
  const Shape shape = AnyShape(0, 4);
  OperatorCase quantize{BuiltinOperator::QUANTIZE};
  quantize.inputs = {AnyTensor(ElementType::kFloat32, shape)};
  quantize.outputs = {Output(type, shape, AnyQuantization(type))};
  RC_ASSERT(CompareByXnnpack(quantize) == std::string());
  OperatorCase dequantize{BuiltinOperator::DEQUANTIZE};
  dequantize.inputs = {AnyTensor(type, shape)};
  dequantize.outputs = {Output(ElementType::kFloat32, shape)};
  RC_ASSERT(CompareByXnnpack(dequantize) == std::string());
}

RC_GTEST_PROP(XnnpackElementwise, Pads, ()) {
  const TensorValue input = AnyTensor(AnyDataType(), AnyShape(1, 5));
  std::vector<int32_t> paddings;
  Shape shape = input.shape;
  for (int32_t& d : shape) {
    paddings.push_back(*rc::gen::inRange(0, 4));
    paddings.push_back(*rc::gen::inRange(0, 4));
    d += paddings[paddings.size() - 2] + paddings.back();
  }
  const auto rank = static_cast<int32_t>(shape.size());
  OperatorCase c{BuiltinOperator::PAD};
  c.inputs = {input, Values<int32_t>({rank, 2}, paddings).Constant()};
  c.outputs = {Output(input.type, shape, input.quantization)};
  RC_ASSERT(CompareByXnnpack(c) == std::string());
  c.code = BuiltinOperator::PADV2;
  c.inputs.push_back(AnyTensor(input.type, {}).Constant());
  c.inputs[2].quantization = input.quantization;
  RC_ASSERT(CompareByXnnpack(c) == std::string());
  c.inputs[1].is_constant = false;
  RC_ASSERT(!IsClaimedByXnnpack(c));
}

RC_GTEST_PROP(XnnpackElementwise, Reshapes, ()) {
  const TensorValue input = AnyTensor(AnyDataType(), AnyShape(0, 4));
  OperatorCase c{BuiltinOperator::RESHAPE};
  c.inputs = {input, Values<int32_t>({1}, {-1}).Constant()};
  c.outputs = {Output(input.type, {1}, input.quantization)};
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

}  // namespace
}  // namespace stowage::harness
