// SPDX-License-Identifier: Apache-2.0
// Describes operators that compute sums of products of inputs and weights.
// XNNPACK packs the weights when an operator is created and does not read them
// again.
#include <algorithm>
#include <cmath>

#include "src/delegates/xnnpack/image.h"
#include "src/delegates/xnnpack/operation.h"
#include "stowage/harness/window.h"

namespace stowage::harness::xnnpack {
namespace {

// The properties that all operators in this file share. Points to tensors of
// the graph, so it is valid only as long as the graph exists.
struct Linear {
  ElementType type = ElementType::kFloat32;
  const Tensor* weights = nullptr;
  const Tensor* bias = nullptr;
  ScaleAndZero input;
  // One scale for all output channels, or one scale for each output channel.
  std::vector<float> weight_scales;
  int32_t weights_zero = 0;
  OutputRange output;
  uint32_t flags = 0;

  bool is_per_channel() const { return weight_scales.size() > 1; }
};

// Calls the XNNPACK function that creates an operator: `f32`, `s8` or `u8`,
// depending on `linear.type`. `shape` holds the first arguments of that
// function.
template <typename F32, typename S8, typename U8, typename... Numbers>
xnn_status CreateLinear(const Linear& linear, xnn_operator_t* op, F32 f32,
                        S8 s8, U8 u8, Numbers... shape) {
  const OutputRange& out = linear.output;
  const Tensor* const bias = linear.bias;
  const auto* const sums = bias == nullptr ? nullptr : bias->as<int32_t>();
  if (linear.type == ElementType::kInt8) {
    return s8(shape..., static_cast<int8_t>(linear.input.zero_point),
              linear.input.scale, linear.weight_scales[0],
              linear.weights->as<int8_t>(), sums,
              static_cast<int8_t>(out.scale.zero_point), out.scale.scale,
              static_cast<int8_t>(out.quantized.min),
              static_cast<int8_t>(out.quantized.max), linear.flags, op);
  }
  if (linear.type == ElementType::kUint8) {
    return u8(shape..., static_cast<uint8_t>(linear.input.zero_point),
              linear.input.scale, static_cast<uint8_t>(linear.weights_zero),
              linear.weight_scales[0], linear.weights->as<uint8_t>(), sums,
              static_cast<uint8_t>(out.scale.zero_point), out.scale.scale,
              static_cast<uint8_t>(out.quantized.min),
              static_cast<uint8_t>(out.quantized.max), linear.flags, op);
  }
  return f32(shape..., ConstantFloats(linear.weights).data(),
             ConstantFloats(bias).data(), out.real.min, out.real.max,
             linear.flags, op);
}

// Creates a convolution with INT8 weights that have one scale for each output
// channel.
template <typename... Numbers>
xnn_status CreatePerChannel(const Linear& linear, xnn_operator_t* op,
                            Numbers... shape) {
  const OutputRange& out = linear.output;
  return xnn_create_convolution2d_nhwc_qc8(
      shape..., static_cast<int8_t>(linear.input.zero_point),
      linear.input.scale, linear.weight_scales.data(),
      linear.weights->as<int8_t>(),
      linear.bias == nullptr ? nullptr : linear.bias->as<int32_t>(),
      static_cast<int8_t>(out.scale.zero_point), out.scale.scale,
      static_cast<int8_t>(out.quantized.min),
      static_cast<int8_t>(out.quantized.max), linear.flags, op);
}

// Checks that XNNPACK supports the scales. Each scale of the weights must be a
// normal number above 0, and the factor that converts sums to outputs must be a
// normal number below 2^8.
absl::Status CheckWeightScales(const Linear& linear) {
  for (const float scale : linear.weight_scales) {
    const float factor = linear.input.scale * scale / linear.output.scale.scale;
    if (std::isnormal(scale) && scale > 0 && std::isnormal(factor) &&
        factor < 256) {
      continue;
    }
    return Refuse("a scale of its weights is ", scale,
                  ", and the factor from sums to outputs ", factor,
                  "; expected normal numbers, and a factor below 256");
  }
  return absl::OkStatus();
}

// The positions of the data, the weights and the bias among the inputs.
struct LinearInputs {
  size_t data = 0;
  size_t weights = 1;
  size_t bias = 2;
};

absl::Status CheckLinearConstants(const Node& node, const LinearInputs& in) {
  const bool is_float = node.input(in.data).type == ElementType::kFloat32;
  if (node.constant(in.weights) == nullptr ||
      node.input(in.weights).type != node.input(in.data).type) {
    return Refuse("its weights are computed, or of another type than the ",
                  "input; expected a constant of its type");
  }
  if (!node.has_input(in.bias)) return absl::OkStatus();
  const ElementType type =
      is_float ? ElementType::kFloat32 : ElementType::kInt32;
  if (node.constant(in.bias) == nullptr || node.input(in.bias).type != type) {
    return Refuse("its bias is computed, or of ",
                  ElementTypeName(node.input(in.bias).type),
                  "; expected a constant of ", ElementTypeName(type));
  }
  return absl::OkStatus();
}

absl::StatusOr<Linear> LinearOf(const Node& node, const LinearInputs& in,
                                FusedActivation activation) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({in.data, in.weights}));
  STOWAGE_RETURN_IF_ERROR(CheckLinearConstants(node, in));
  Linear linear;
  linear.type = node.input(in.data).type;
  linear.weights = node.constant(in.weights);
  linear.bias = node.constant(in.bias);
  STOWAGE_ASSIGN_OR_RETURN(linear.output,
                           OutputRangeOf(node.output(), activation));
  if (linear.type == ElementType::kFloat32) return linear;
  STOWAGE_ASSIGN_OR_RETURN(linear.input, ScaleAndZeroOf(node.input(in.data)));
  const Quantization& q = linear.weights->quantization;
  if (q.scales.size() <= 1) {
    STOWAGE_ASSIGN_OR_RETURN(const ScaleAndZero weights,
                             ScaleAndZeroOf(*linear.weights));
    linear.weights_zero = weights.zero_point;
  }
  linear.weight_scales = q.scales;
  if (linear.type == ElementType::kInt8 && linear.weights_zero != 0) {
    return Refuse("the zero point of its weights is ", linear.weights_zero,
                  "; expected 0");
  }
  if (linear.is_per_channel() && linear.type != ElementType::kInt8) {
    return Refuse("its weights have a scale for each channel; expected one");
  }
  STOWAGE_RETURN_IF_ERROR(CheckWeightScales(linear));
  return linear;
}

Operation LinearOperation(const Node& node, const LinearInputs& in,
                          Operation::Create create, Operation::Setup setup) {
  Operation operation;
  operation.inputs = {node.spec().inputs[in.data]};
  operation.create = std::move(create);
  operation.setup = std::move(setup);
  operation.packs_weights = true;
  return operation;
}

// Describes a convolution with `groups` independent groups of channels.
Operation Convolution(const Node& node, const Linear& linear,
                      const ImageWindow& window, int64_t groups,
                      int64_t filters) {
  const auto create = [linear, groups, filters, w = WindowSizes(window),
                       channels = window.channels](xnn_operator_t* op) {
    const auto with = [&](const auto& function) {
      return function(w.top, w.right, w.bottom, w.left, w.tap_rows,
                      w.tap_columns, w.row_stride, w.column_stride,
                      w.row_dilation, w.column_dilation, Number(groups),
                      Size(channels / groups), Size(filters / groups),
                      Size(channels), Size(filters));
    };
    if (linear.is_per_channel()) {
      return with([&](auto... shape) {
        return CreatePerChannel(linear, op, shape...);
      });
    }
    return with([&](auto... shape) {
      return CreateLinear(linear, op, xnn_create_convolution2d_nhwc_f32,
                          xnn_create_convolution2d_nhwc_qs8,
                          xnn_create_convolution2d_nhwc_qu8, shape...);
    });
  };
  return LinearOperation(
      node, {}, create,
      SetupUnaryOf(linear.type, xnn_setup_convolution2d_nhwc_f32,
                   linear.is_per_channel() ? xnn_setup_convolution2d_nhwc_qc8
                                           : xnn_setup_convolution2d_nhwc_qs8,
                   xnn_setup_convolution2d_nhwc_qu8, Size(window.batches),
                   Size(window.y.in), Size(window.x.in)));
}

absl::StatusOr<ImageWindow> FilterWindowOf(const Node& node,
                                           const ConvolutionOptions& options) {
  STOWAGE_RETURN_IF_ERROR(CheckImages(node, {0, 1}));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(node.input(0).shape, node.input(1).shape, options));
  STOWAGE_RETURN_IF_ERROR(
      CheckOutputShape(node, window.OutputShape(node.output().dim(-1))));
  return window;
}

absl::StatusOr<Operation> DescribeConvolution(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(const Linear linear,
                           LinearOf(node, {}, options.activation));
  STOWAGE_ASSIGN_OR_RETURN(const ImageWindow window,
                           FilterWindowOf(node, options));
  const Tensor& weights = node.input(1);
  const int64_t depth = weights.dim(3);
  const int64_t filters = weights.dim(0);
  if (window.channels % depth != 0 ||
      filters % (window.channels / depth) != 0) {
    return Refuse("it has ", window.channels, " channels, and ", filters,
                  " filters of ", depth, "; expected multiples");
  }
  return Convolution(node, linear, window, window.channels / depth, filters);
}

absl::StatusOr<Operation> DescribeDepthwise(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(Linear linear,
                           LinearOf(node, {}, options.activation));
  linear.flags = XNN_FLAG_DEPTHWISE_CONVOLUTION;
  STOWAGE_ASSIGN_OR_RETURN(const ImageWindow window,
                           FilterWindowOf(node, options));
  const Tensor& weights = node.input(1);
  const int64_t filters = weights.dim(3);
  if (weights.dim(0) != 1 || filters % window.channels != 0) {
    return Refuse("the shape of its weights is ", ShapeText(weights.shape),
                  "; expected [1, height, width, a multiple of ",
                  window.channels, "]");
  }
  return Convolution(node, linear, window, window.channels, filters);
}

absl::StatusOr<Operation> DescribeFullyConnected(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const FullyConnectedOptions options,
                           FullyConnectedOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(const Linear linear,
                           LinearOf(node, {}, options.activation));
  const Tensor& weights = node.input(1);
  if (options.weights_format != 0 || weights.rank() != 2 ||
      linear.is_per_channel()) {
    return Refuse("its weights are not [units, depth] with one scale");
  }
  const size_t units = Size(weights.dim(0));
  const size_t depth = Size(weights.dim(1));
  const size_t elements = Size(node.input(0).elements());
  const size_t rows = elements / depth;
  if (rows * depth != elements ||
      rows * units != Size(node.output().elements())) {
    return Refuse("its input is ", ShapeText(node.input(0).shape),
                  ", its output ", ShapeText(node.output().shape),
                  "; expected rows of ", depth, " and of ", units);
  }
  const auto create = [linear, depth, units](xnn_operator_t* op) {
    return CreateLinear(linear, op, xnn_create_fully_connected_nc_f32,
                        xnn_create_fully_connected_nc_qs8,
                        xnn_create_fully_connected_nc_qu8, depth, units, depth,
                        units);
  };
  return LinearOperation(
      node, {}, create,
      SetupUnaryOf(linear.type, xnn_setup_fully_connected_nc_f32,
                   xnn_setup_fully_connected_nc_qs8,
                   xnn_setup_fully_connected_nc_qu8, rows));
}

// How XNNPACK adjusts the output of a reversed convolution in one dimension:
// the number of elements that it removes at the beginning, the number that it
// removes at the end, and the number that it adds at the end. The window is
// that of the forward convolution.
struct Cut {
  uint32_t before = 0;
  uint32_t after = 0;
  uint32_t added = 0;
};
absl::StatusOr<Cut> CutOf(const Window& window, int64_t input) {
  const int64_t reached = window.stride * (input - 1) + window.taps;
  const int64_t after = reached - window.before - window.in;
  // XNNPACK can add at most stride - 1 elements.
  if (-after >= window.stride) {
    return Refuse(
        "its output has ", window.in, " rows or columns, and ",
        reached - window.before,
        " follow from its input; expected a difference below the stride");
  }
  return Cut{Number(window.before), Number(std::max<int64_t>(after, 0)),
             Number(std::max<int64_t>(-after, 0))};
}

absl::StatusOr<Operation> DescribeDeconvolution(const Node& node) {
  constexpr LinearInputs kInputs = {2, 1, 3};
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(const Linear linear,
                           LinearOf(node, kInputs, options.activation));
  STOWAGE_RETURN_IF_ERROR(CheckImages(node, {kInputs.data, kInputs.weights}));
  const Tensor& input = node.input(kInputs.data);
  const Tensor& weights = node.input(kInputs.weights);
  const Tensor& output = node.output();
  if (linear.is_per_channel() || weights.dim(3) != input.dim(3) ||
      weights.dim(0) != output.dim(3) || input.dim(0) != output.dim(0)) {
    return Refuse("its weights are not [output channels, height, width, ",
                  input.dim(3), "] with one scale");
  }
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(output.shape, weights.shape, options));
  STOWAGE_ASSIGN_OR_RETURN(const Cut y, CutOf(window.y, input.dim(1)));
  STOWAGE_ASSIGN_OR_RETURN(const Cut x, CutOf(window.x, input.dim(2)));
  const auto create = [=, w = WindowSizes(window), channels = input.dim(3),
                       filters = output.dim(3)](xnn_operator_t* op) {
    return CreateLinear(linear, op, xnn_create_deconvolution2d_nhwc_f32,
                        xnn_create_deconvolution2d_nhwc_qs8,
                        xnn_create_deconvolution2d_nhwc_qu8, y.before, x.after,
                        y.after, x.before, w.tap_rows, w.tap_columns,
                        w.row_stride, w.column_stride, w.row_dilation,
                        w.column_dilation, uint32_t{1}, Size(channels),
                        Size(filters), Size(channels), Size(filters));
  };
  return LinearOperation(
      node, kInputs, create,
      SetupUnaryOf(linear.type, xnn_setup_deconvolution2d_nhwc_f32,
                   xnn_setup_deconvolution2d_nhwc_qs8,
                   xnn_setup_deconvolution2d_nhwc_qu8, Size(input.dim(0)),
                   Size(input.dim(1)), Size(input.dim(2)), y.added, x.added));
}

}  // namespace

absl::Span<const DescribeRow> LinearRows() {
  static constexpr DescribeRow kRows[] = {
      {"CONV_2D", DescribeConvolution},
      {"DEPTHWISE_CONV_2D", DescribeDepthwise},
      {"FULLY_CONNECTED", DescribeFullyConnected},
      {"TRANSPOSE_CONV", DescribeDeconvolution},
  };
  return kRows;
}

}  // namespace stowage::harness::xnnpack
