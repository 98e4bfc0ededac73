// SPDX-License-Identifier: Apache-2.0
// Tests the output shape of each layer for given shapes of its operand.
#include "data/networks/layers.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::networks {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr ElementType kFloat = ElementType::FLOAT32;

struct ShapeCase {
  std::string name;
  Shape input;
  Tensor (*layer)(Tensor x);
  Shape expected;
};

void PrintTo(const ShapeCase& c, std::ostream* os) { *os << c.name; }

class LayerShape : public testing::TestWithParam<ShapeCase> {};

TEST_P(LayerShape, IsAsExpected) {
  Network network("test");
  const Tensor x = network.Input(GetParam().input);
  const Tensor y = GetParam().layer(x);
  EXPECT_THAT(y.shape(), ElementsAreArray(GetParam().expected));
  EXPECT_EQ(y.type(), kFloat);
  network.Output(y);
  EXPECT_TRUE(network.Serialize().ok()) << network.Serialize().status();
}

constexpr Padding kValid = Padding::kValid;

INSTANTIATE_TEST_SUITE_P(
    Windows, LayerShape,
    testing::ValuesIn(std::vector<ShapeCase>{
        {"same_keeps_the_size",
         {1, 5, 7, 3},
         [](Tensor x) { return Conv(x, 8, Window(3)); },
         {1, 5, 7, 8}},
        {"same_rounds_up_with_a_stride",
         {2, 5, 7, 3},
         [](Tensor x) { return Conv(x, 8, Window(3, 2)); },
         {2, 3, 4, 8}},
        {"valid_loses_the_border",
         {1, 5, 7, 3},
         [](Tensor x) { return Conv(x, 8, Window(3, 1, kValid)); },
         {1, 3, 5, 8}},
        {"valid_drops_what_a_stride_cannot_reach",
         {1, 6, 7, 3},
         [](Tensor x) { return Conv(x, 8, Window(3, 2, kValid)); },
         {1, 2, 3, 8}},
        {"valid_counts_the_holes_of_a_dilation",
         {1, 9, 9, 3},
         [](Tensor x) {
           Window window = Window::Dilated(3, 2);
           window.padding = kValid;
           return Conv(x, 8, window);
         },
         {1, 5, 5, 8}},
        {"a_rectangle_is_height_by_width",
         {1, 9, 9, 3},
         [](Tensor x) {
           Window window = Window::Rectangle(1, 7);
           window.padding = kValid;
           return Conv(x, 8, window);
         },
         {1, 9, 3, 8}},
        {"depthwise_keeps_the_channels",
         {1, 8, 8, 6},
         [](Tensor x) { return DepthwiseConv(x, Window(3, 2)); },
         {1, 4, 4, 6}},
        {"pool_keeps_the_channels",
         {1, 8, 8, 6},
         [](Tensor x) { return MaxPool(x, Window(2, 2)); },
         {1, 4, 4, 6}},
        {"transposed_convolution_grows",
         {1, 8, 4, 6},
         [](Tensor x) { return TransposeConv(x, 3, 2); },
         {1, 16, 8, 3}},
        {"global_pool_leaves_one_pixel",
         {4, 8, 8, 6},
         [](Tensor x) { return GlobalAveragePool(x); },
         {4, 1, 1, 6}},
        {"resize",
         {1, 8, 8, 6},
         [](Tensor x) { return ResizeBilinear(x, 5, 20); },
         {1, 5, 20, 6}},
    }),
    [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Matrices, LayerShape,
    testing::ValuesIn(std::vector<ShapeCase>{
        {"fully_connected_replaces_the_last_axis",
         {2, 5, 8},
         [](Tensor x) { return FullyConnected(x, 3); },
         {2, 5, 3}},
        {"product",
         {2, 5, 8},
         [](Tensor x) {
           return BatchMatMul(x, x.network().Constant({2, 8, 3}, x.type()));
         },
         {2, 5, 3}},
        {"product_with_the_second_transposed",
         {2, 5, 8},
         [](Tensor x) { return BatchMatMulTransposed(x, x); },
         {2, 5, 5}},
        {"missing_axes_and_ones_repeat",
         {2, 1, 8},
         [](Tensor x) {
           return Mul(x, x.network().Constant({5, 1}, x.type()));
         },
         {2, 5, 8}},
        {"sum_over_two_axes",
         {2, 5, 8},
         [](Tensor x) {
           return Sum(x, {0, -1});
         },
         {1, 5, 1}},
    }),
    [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Shapes, LayerShape,
    testing::ValuesIn(std::vector<ShapeCase>{
        {"reshape",
         {2, 6},
         [](Tensor x) {
           return Reshape(x, {3, 4});
         },
         {3, 4}},
        {"flatten_keeps_the_batch", {2, 3, 4}, Flatten, {2, 12}},
        {"transpose",
         {2, 3, 4},
         [](Tensor x) {
           return Transpose(x, {2, 0, 1});
         },
         {4, 2, 3}},
        {"slice",
         {2, 3, 4},
         [](Tensor x) {
           return Slice(x, {2, 1, 4});
         },
         {2, 1, 4}},
        {"concatenation",
         {2, 3, 4},
         [](Tensor x) {
           return Concat({x, x, x}, 1);
         },
         {2, 9, 4}},
        {"split",
         {2, 3, 4},
         [](Tensor x) { return Split(x, -1, 2).back(); },
         {2, 3, 2}},
        {"unpack_drops_the_axis",
         {2, 3, 4},
         [](Tensor x) { return Unpack(x, 1).back(); },
         {2, 4}},
        {"pack_makes_one",
         {2, 4},
         [](Tensor x) {
           return Pack({x, x, x}, 1);
         },
         {2, 3, 4}},
        {"embedding_adds_the_width",
         {2, 5},
         [](Tensor x) { return Embedding(x, 100, 16, kFloat); },
         {2, 5, 16}},
    }),
    [](const auto& c) { return c.param.name; });

TEST(Layer, TypesFollowTheOperandUnlessConverted) {
  Network network("test");
  const Tensor x = network.Input({1, 4});
  const Tensor quantized = Quantize(x, ElementType::INT8);
  EXPECT_EQ(FullyConnected(quantized, 2).type(), ElementType::INT8);
  EXPECT_EQ(Dequantize(quantized).type(), kFloat);
}

struct MistakeCase {
  std::string name;
  Shape input;
  Tensor (*layer)(Tensor x);
  std::string message;
};

void PrintTo(const MistakeCase& c, std::ostream* os) { *os << c.name; }

class LayerMistake : public testing::TestWithParam<MistakeCase> {};

TEST_P(LayerMistake, IsNamed) {
  Network network("test");
  const Tensor x = Unary(Op::RELU, network.Input(GetParam().input));
  // Two more layers use the output of the faulty layer. They must not crash,
  // and the message must still be about the first fault.
  const Tensor y = GetParam().layer(x);
  network.Output(Conv(FullyConnected(y, 3), 3, Window(3)));
  EXPECT_EQ(network.Serialize().status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(network.Serialize().status().message()),
              HasSubstr("test: " + GetParam().message));
}

Tensor Other(Tensor x, Shape shape) {
  return x.network().Constant(std::move(shape), x.type());
}

INSTANTIATE_TEST_SUITE_P(
    All, LayerMistake,
    testing::ValuesIn(std::vector<MistakeCase>{
        {"convolution_of_a_matrix",
         {2, 3},
         [](Tensor x) { return Conv(x, 8, Window(3)); },
         "operator 1 (CONV_2D): expected 4 axes, got 2x3"},
        {"depthwise_convolution_of_a_matrix",
         {2, 3},
         [](Tensor x) { return DepthwiseConv(x, Window(3)); },
         "operator 1 (DEPTHWISE_CONV_2D): expected 4 axes, got 2x3"},
        {"window_larger_than_the_image",
         {1, 2, 2, 1},
         [](Tensor x) { return MaxPool(x, Window(3, 1, kValid)); },
         "tensor 2 (max_pool_2d_1); expected extents above 0, got '1x0x0x1'"},
        {"kernel_of_other_channels",
         {1, 8, 8, 3},
         [](Tensor x) {
           return ConvWith(x, Other(x, {4, 3, 3, 5}), Window(3));
         },
         "operator 1 (CONV_2D): expected a kernel 4x3x3x3, got 4x3x3x5"},
        {"weights_of_other_inputs",
         {2, 3},
         [](Tensor x) {
           return FullyConnectedWith(x, Other(x, {5, 4}));
         },
         "operator 1 (FULLY_CONNECTED): weights 5x4 do not fit 2x3"},
        {"product_of_what_does_not_meet",
         {2, 3},
         [](Tensor x) { return BatchMatMul(x, x); },
         "operator 1 (BATCH_MATMUL): shapes 2x3 and 2x3 do not fit"},
        {"sum_of_what_does_not_repeat",
         {2, 3},
         [](Tensor x) {
           return Add(x, Other(x, {2, 2}));
         },
         "operator 1 (ADD): shapes 2x3 and 2x2 do not fit"},
        {"sum_of_many_that_differ",
         {2, 3},
         [](Tensor x) {
           return AddN({x, Other(x, {3})});
         },
         "operator 1 (ADD_N): shapes 2x3 and 3 differ"},
        {"axis_that_is_not_there",
         {2, 3},
         [](Tensor x) { return Mean(x, {2}); },
         "operator 1 (MEAN): no axis 2 in 2x3"},
        {"reshape_to_another_count",
         {2, 3},
         [](Tensor x) { return Reshape(x, {7}); },
         "operator 1 (RESHAPE): 2x3 into 7"},
        {"transpose_with_an_axis_twice",
         {2, 3},
         [](Tensor x) {
           return Transpose(x, {1, 1});
         },
         "operator 1 (TRANSPOSE): expected an order of 2 axes, got 1x1"},
        {"slice_of_more_than_there_is",
         {2, 3},
         [](Tensor x) {
           return Slice(x, {2, 4});
         },
         "operator 1 (SLICE): 2x4 is not inside 2x3"},
        {"concatenation_of_other_axes",
         {2, 3},
         [](Tensor x) {
           return Concat({x, Other(x, {3, 3})}, 1);
         },
         "operator 1 (CONCATENATION): shapes 2x3 and 3x3 do not fit"},
        {"concatenation_of_another_rank",
         {2, 3},
         [](Tensor x) {
           return Concat({x, Other(x, {2})}, 1);
         },
         "operator 1 (CONCATENATION): shapes 2x3 and 2 do not fit"},
        {"split_with_a_rest",
         {2, 3},
         [](Tensor x) { return Split(x, 1, 2).front(); },
         "operator 1 (SPLIT): 2x3 into 2 parts"},
        {"pack_of_what_differs",
         {2, 3},
         [](Tensor x) {
           return Pack({x, Other(x, {2})}, 0);
         },
         "operator 1 (PACK): shapes 2x3 and 2 differ"},
        {"pack_where_no_axis_can_be",
         {2, 3},
         [](Tensor x) { return Pack({x}, 4); },
         "operator 1 (PACK): no place for axis 4 in 2x3"},
    }),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace stowage::networks
