// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/operator_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

using ::testing::HasSubstr;

// Holds an operator of a model and its options.
class Operator {
 public:
  explicit Operator(const char* name) { spec_.name = name; }
  template <typename Options>
  Operator(const char* name, const Options& options) : Operator(name) {
    using Table = typename Options::TableType;
    builder_.Finish(Table::Pack(builder_, &options));
    spec_.options =
        flatbuffers::GetRoot<flatbuffers::Table>(builder_.GetBufferPointer());
    spec_.options_type =
        static_cast<int>(tflite::BuiltinOptionsTraits<Table>::enum_value);
  }

  const OperatorSpec& spec() const { return spec_; }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  OperatorSpec spec_;
};

TEST(ConvolutionOptions, AreThoseOfTheModel) {
  tflite::Conv2DOptionsT options;
  options.padding = tflite::Padding::VALID;
  options.stride_h = 2;
  options.stride_w = 3;
  options.dilation_h_factor = 4;
  options.dilation_w_factor = 5;
  options.fused_activation_function = tflite::ActivationFunctionType::RELU6;
  const auto read = ConvolutionOptionsOf(Operator("CONV_2D", options).spec());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->padding, Padding::kValid);
  EXPECT_EQ(read->stride.height, 2);
  EXPECT_EQ(read->stride.width, 3);
  EXPECT_EQ(read->dilation.height, 4);
  EXPECT_EQ(read->dilation.width, 5);
  EXPECT_EQ(read->activation, FusedActivation::kRelu6);
}

TEST(ConvolutionOptions, OfATransposedOneHaveNoDilation) {
  tflite::TransposeConvOptionsT options;
  options.stride_h = -1;
  const auto read =
      ConvolutionOptionsOf(Operator("TRANSPOSE_CONV", options).spec());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->stride.height, -1);
  EXPECT_EQ(read->dilation.height, 1);
}

TEST(ConvolutionOptions, HaveDefaultsWhereTheModelHasNone) {
  const auto read = ConvolutionOptionsOf(Operator("DEPTHWISE_CONV_2D").spec());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->padding, Padding::kSame);
  EXPECT_EQ(read->stride.height, 0);
  EXPECT_EQ(read->dilation.height, 1);
  EXPECT_EQ(read->activation, FusedActivation::kNone);
}

TEST(PoolOptions, AreThoseOfTheModel) {
  tflite::Pool2DOptionsT options;
  options.stride_w = 2;
  options.filter_height = 3;
  options.filter_width = 4;
  const auto read = PoolOptionsOf(Operator("MAX_POOL_2D", options).spec());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->stride.width, 2);
  EXPECT_EQ(read->filter.height, 3);
  EXPECT_EQ(read->filter.width, 4);
}

TEST(FullyConnectedOptions, AreThoseOfTheModel) {
  tflite::FullyConnectedOptionsT options;
  options.weights_format =
      tflite::FullyConnectedOptionsWeightsFormat::SHUFFLED4x16INT8;
  options.keep_num_dims = true;
  const auto read =
      FullyConnectedOptionsOf(Operator("FULLY_CONNECTED", options).spec());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->weights_format, 1);
  EXPECT_TRUE(read->keeps_dimensions);
  EXPECT_FALSE(read->has_asymmetric_inputs);
}

TEST(ResizeOptions, AreReadForBothOperators) {
  tflite::ResizeBilinearOptionsT bilinear;
  bilinear.align_corners = true;
  EXPECT_TRUE(ResizeOptionsOf(Operator("RESIZE_BILINEAR", bilinear).spec())
                  ->aligns_corners);
  tflite::ResizeNearestNeighborOptionsT nearest;
  nearest.half_pixel_centers = true;
  EXPECT_TRUE(
      ResizeOptionsOf(Operator("RESIZE_NEAREST_NEIGHBOR", nearest).spec())
          ->has_half_pixel_centers);
}

TEST(OperatorOptions, HaveSingleValues) {
  tflite::SubOptionsT sub;
  // A model file may contain any number as an activation.
  sub.fused_activation_function =
      static_cast<tflite::ActivationFunctionType>(77);
  EXPECT_EQ(*ArithmeticActivationOf(Operator("SUB", sub).spec()),
            static_cast<FusedActivation>(77));
  EXPECT_EQ(*ArithmeticActivationOf(Operator("DIV").spec()),
            FusedActivation::kNone);
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = 0.5F;
  EXPECT_EQ(*SoftmaxBetaOf(Operator("SOFTMAX", softmax).spec()), 0.5F);
  tflite::LeakyReluOptionsT leaky;
  leaky.alpha = 0.25F;
  EXPECT_EQ(*LeakyReluAlphaOf(Operator("LEAKY_RELU", leaky).spec()), 0.25F);
}

TEST(OperatorOptions, AreRefusedForOtherOperators) {
  const Operator pad("PAD");
  for (const absl::Status& status :
       {ConvolutionOptionsOf(pad.spec()).status(),
        PoolOptionsOf(pad.spec()).status(),
        FullyConnectedOptionsOf(pad.spec()).status(),
        ResizeOptionsOf(pad.spec()).status(),
        ArithmeticActivationOf(pad.spec()).status(),
        SoftmaxBetaOf(pad.spec()).status(),
        LeakyReluAlphaOf(pad.spec()).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("PAD"));
  }
  const auto other =
      PoolOptionsOf(Operator("MAX_POOL_2D", tflite::SoftmaxOptionsT()).spec());
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr("expected 5 (Pool2DOptions)"));
}

}  // namespace
}  // namespace stowage::harness
