// SPDX-License-Identifier: Apache-2.0
// Returns the options of builtin operators as plain structs, for delegates and
// kernels that run these operators. For a custom operator, use
// OperatorSpec::custom_options, which are bytes in a format of this operator.
//
//   const OperatorSpec& spec = graph.node(id);  // a CONV_2D
//   absl::StatusOr<ConvolutionOptions> options = ConvolutionOptionsOf(spec);
//   if (!options.ok()) return options.status();
//   ... options->stride.height ...
//
// The values are copied from the model without a check, and may be any numbers.
// The functions of window.h and fixed_point.h check the values that are passed
// to them. An option that the model omits has the default of the format. Error
// of every function: InvalidArgument if the function is not for this operator,
// or if the model has the options of a different operator.
#ifndef STOWAGE_HARNESS_OPERATOR_OPTIONS_H_
#define STOWAGE_HARNESS_OPERATOR_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The values that surround an image when a filter slides over it.
enum class Padding : int8_t {
  kSame = 0,   // pads with zeros, so that there are ceil(size / stride) outputs
  kValid = 1,  // pads with nothing, since the filter stays within the image
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
  HeightAndWidth dilation;  // the distance between adjacent filter elements
  FusedActivation activation = FusedActivation::kNone;
};
// Returns the options of CONV_2D, DEPTHWISE_CONV_2D or TRANSPOSE_CONV.
// TRANSPOSE_CONV has no dilation.
absl::StatusOr<ConvolutionOptions> ConvolutionOptionsOf(
    const OperatorSpec& spec);

struct PoolOptions {
  Padding padding = Padding::kSame;
  HeightAndWidth stride;
  HeightAndWidth filter;
  FusedActivation activation = FusedActivation::kNone;
};
// Returns the options of AVERAGE_POOL_2D, MAX_POOL_2D or L2_POOL_2D.
absl::StatusOr<PoolOptions> PoolOptionsOf(const OperatorSpec& spec);

struct FullyConnectedOptions {
  FusedActivation activation = FusedActivation::kNone;
  // The layout of the weights. 0 means the shape [units, depth]; other numbers
  // mean shuffled weights.
  int weights_format = 0;
  // If true, the output has the shape of the input, with the last dimension
  // replaced by the number of units.
  bool keeps_dimensions = false;
  // Used only if the inputs are FLOAT32 and the weights are INT8, because the
  // kernel then quantizes the inputs. True means that it quantizes them with a
  // zero point.
  bool has_asymmetric_inputs = false;
};
// Returns the options of FULLY_CONNECTED.
absl::StatusOr<FullyConnectedOptions> FullyConnectedOptionsOf(
    const OperatorSpec& spec);

struct ResizeOptions {
  bool aligns_corners = false;
  bool has_half_pixel_centers = false;
};
// Returns the options of RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR.
absl::StatusOr<ResizeOptions> ResizeOptionsOf(const OperatorSpec& spec);

// Returns the activation of ADD, SUB, MUL or DIV.
absl::StatusOr<FusedActivation> ArithmeticActivationOf(
    const OperatorSpec& spec);

// Returns the factor by which SOFTMAX multiplies its inputs.
absl::StatusOr<float> SoftmaxBetaOf(const OperatorSpec& spec);

// Returns the factor by which LEAKY_RELU multiplies negative inputs.
absl::StatusOr<float> LeakyReluAlphaOf(const OperatorSpec& spec);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OPERATOR_OPTIONS_H_
