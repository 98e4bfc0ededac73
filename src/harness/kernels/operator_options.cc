// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/operator_options.h"

#include "src/harness/kernels/support.h"

namespace stowage::harness {
namespace {

Padding PaddingOf(tflite::Padding padding) {
  return static_cast<Padding>(padding);
}

absl::Status RefuseOperator(const OperatorSpec& spec, const char* expected) {
  return RefuseModel(spec.TypeText(), ": its options are not those of ",
                     expected);
}

bool IsBuiltin(const OperatorSpec& spec, const char* name) {
  return !spec.is_custom && spec.name == name;
}

// Returns the options that all kinds of convolutions have in common.
template <typename Options>
ConvolutionOptions ConvolutionOf(const Options& options) {
  ConvolutionOptions result;
  result.padding = PaddingOf(options.padding());
  result.stride = {options.stride_h(), options.stride_w()};
  result.activation = FusedActivationOf(options.fused_activation_function());
  return result;
}

template <typename Options>
absl::StatusOr<ConvolutionOptions> DilatedConvolutionOf(
    const OperatorSpec& spec) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options, OptionsOf<Options>(spec));
  ConvolutionOptions result = ConvolutionOf(*options);
  result.dilation = {options->dilation_h_factor(),
                     options->dilation_w_factor()};
  return result;
}

template <typename Options>
absl::StatusOr<ResizeOptions> ResizeOf(const OperatorSpec& spec) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options, OptionsOf<Options>(spec));
  return ResizeOptions{options->align_corners(), options->half_pixel_centers()};
}

template <typename Options>
absl::StatusOr<FusedActivation> ActivationOf(const OperatorSpec& spec) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options, OptionsOf<Options>(spec));
  return FusedActivationOf(options->fused_activation_function());
}

}  // namespace

absl::StatusOr<ConvolutionOptions> ConvolutionOptionsOf(
    const OperatorSpec& spec) {
  if (IsBuiltin(spec, "CONV_2D")) {
    return DilatedConvolutionOf<tflite::Conv2DOptions>(spec);
  }
  if (IsBuiltin(spec, "DEPTHWISE_CONV_2D")) {
    return DilatedConvolutionOf<tflite::DepthwiseConv2DOptions>(spec);
  }
  if (!IsBuiltin(spec, "TRANSPOSE_CONV")) {
    return RefuseOperator(spec, "a convolution");
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::TransposeConvOptions>(spec));
  return ConvolutionOf(*options);
}

absl::StatusOr<PoolOptions> PoolOptionsOf(const OperatorSpec& spec) {
  if (!IsBuiltin(spec, "AVERAGE_POOL_2D") && !IsBuiltin(spec, "MAX_POOL_2D") &&
      !IsBuiltin(spec, "L2_POOL_2D")) {
    return RefuseOperator(spec, "a pooling");
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::Pool2DOptions>(spec));
  return PoolOptions{PaddingOf(options->padding()),
                     {options->stride_h(), options->stride_w()},
                     {options->filter_height(), options->filter_width()},
                     FusedActivationOf(options->fused_activation_function())};
}

absl::StatusOr<FullyConnectedOptions> FullyConnectedOptionsOf(
    const OperatorSpec& spec) {
  if (!IsBuiltin(spec, "FULLY_CONNECTED")) {
    return RefuseOperator(spec, "FULLY_CONNECTED");
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::FullyConnectedOptions>(spec));
  return FullyConnectedOptions{
      FusedActivationOf(options->fused_activation_function()),
      static_cast<int>(options->weights_format()), options->keep_num_dims(),
      options->asymmetric_quantize_inputs()};
}

absl::StatusOr<ResizeOptions> ResizeOptionsOf(const OperatorSpec& spec) {
  if (IsBuiltin(spec, "RESIZE_BILINEAR")) {
    return ResizeOf<tflite::ResizeBilinearOptions>(spec);
  }
  if (IsBuiltin(spec, "RESIZE_NEAREST_NEIGHBOR")) {
    return ResizeOf<tflite::ResizeNearestNeighborOptions>(spec);
  }
  return RefuseOperator(spec, "a resizing");
}

absl::StatusOr<FusedActivation> ArithmeticActivationOf(
    const OperatorSpec& spec) {
  if (IsBuiltin(spec, "ADD")) return ActivationOf<tflite::AddOptions>(spec);
  if (IsBuiltin(spec, "SUB")) return ActivationOf<tflite::SubOptions>(spec);
  if (IsBuiltin(spec, "MUL")) return ActivationOf<tflite::MulOptions>(spec);
  if (IsBuiltin(spec, "DIV")) return ActivationOf<tflite::DivOptions>(spec);
  return RefuseOperator(spec, "ADD, SUB, MUL or DIV");
}

absl::StatusOr<float> SoftmaxBetaOf(const OperatorSpec& spec) {
  if (!IsBuiltin(spec, "SOFTMAX")) return RefuseOperator(spec, "SOFTMAX");
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::SoftmaxOptions>(spec));
  return options->beta();
}

absl::StatusOr<float> LeakyReluAlphaOf(const OperatorSpec& spec) {
  if (!IsBuiltin(spec, "LEAKY_RELU")) return RefuseOperator(spec, "LEAKY_RELU");
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::LeakyReluOptions>(spec));
  return options->alpha();
}

}  // namespace stowage::harness
