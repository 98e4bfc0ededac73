// SPDX-License-Identifier: Apache-2.0
// Reads the options of builtin operators as plain structs, for delegates and
// kernels that run these operators. The options of a custom operator are bytes
// (OperatorSpec::custom_options).
//
//   const OperatorSpec& spec = graph.node(id);  // a CONV_2D
//   absl::StatusOr<ConvolutionOptions> options = ConvolutionOptionsOf(spec);
//   if (!options.ok()) return options.status();
//   ... options->stride.height ...
//
// The values are those of the model, which may be any numbers; window.h and
// fixed_point.h check those that they take. An option that the model leaves out
// has the default of the format. Error of every function: InvalidArgument if
// the operator is not one of those that the function is for, or if the model
// has the options of another operator.
#ifndef STOWAGE_HARNESS_OPERATOR_OPTIONS_H_
#define STOWAGE_HARNESS_OPERATOR_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Says what surrounds an image when a filter slides over it.
enum class Padding : int8_t {
  kSame = 0,   // zeros, so that every stride has an output
  kValid = 1,  // nothing: the filter stays within the image
};

// The function that an operator applies to its results.
enum class FusedActivation : int8_t {
  kNone = 0,
  kRelu = 1,
  kReluN1To1 = 2,
  kRelu6 = 3,
  kTanh = 4,
  kSignBit = 5,
};

struct HeightAndWidth {
  int32_t height = 1;
  int32_t width = 1;
};

struct ConvolutionOptions {
  Padding padding = Padding::kSame;
  HeightAndWidth stride;
  HeightAndWidth dilation;  // from one element of the filter to the next
  FusedActivation activation = FusedActivation::kNone;
};
// For CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV, which has no dilation.
absl::StatusOr<ConvolutionOptions> ConvolutionOptionsOf(
    const OperatorSpec& spec);

struct PoolOptions {
  Padding padding = Padding::kSame;
  HeightAndWidth stride;
  HeightAndWidth filter;
  FusedActivation activation = FusedActivation::kNone;
};
// For AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
absl::StatusOr<PoolOptions> PoolOptionsOf(const OperatorSpec& spec);

struct FullyConnectedOptions {
  FusedActivation activation = FusedActivation::kNone;
  int weights_format = 0;  // 0: [units, depth]; other numbers: shuffled
  // True if the output has the dimensions of the input but for the last.
  bool keeps_dimensions = false;
  // For inputs of FLOAT32 with weights of INT8: true if inputs are quantized
  // with a zero point.
  bool has_asymmetric_inputs = false;
};
// For FULLY_CONNECTED.
absl::StatusOr<FullyConnectedOptions> FullyConnectedOptionsOf(
    const OperatorSpec& spec);

struct ResizeOptions {
  bool aligns_corners = false;
  bool has_half_pixel_centers = false;
};
// For RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
absl::StatusOr<ResizeOptions> ResizeOptionsOf(const OperatorSpec& spec);

// Returns the activation of ADD, SUB, MUL or DIV.
absl::StatusOr<FusedActivation> ArithmeticActivationOf(
    const OperatorSpec& spec);

// Returns the factor of the inputs of SOFTMAX.
absl::StatusOr<float> SoftmaxBetaOf(const OperatorSpec& spec);

// Returns the factor of negative inputs of LEAKY_RELU.
absl::StatusOr<float> LeakyReluAlphaOf(const OperatorSpec& spec);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OPERATOR_OPTIONS_H_
