// SPDX-License-Identifier: Apache-2.0
// Creates the launches of the operators that compute sums of products of inputs
// and weights. FLOAT32, INT8 and UINT8 are supported; hybrid operators and
// INT16 are not.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/delegates/opencl/launch.h"
#include "src/delegates/opencl/node_context.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/window.h"

namespace stowage::harness::opencl {
namespace {

// Completes a launch, given the geometry in `p`: sets all other members of `p`
// and stores `p` as the parameters of the launch. `channels` is the number of
// output channels.
absl::StatusOr<Launch> FinishLinear(NodeContext& context, const char* file,
                                    int32_t channels,
                                    FusedActivation activation, int64_t items,
                                    FilterParameters p) {
  const Tensor& input = context.input(0);
  const Tensor& weights = context.input(1);
  Launch launch;
  STOWAGE_ASSIGN_OR_RETURN(launch.kernel, KernelFor(file, input));
  if (weights.type != input.type) {
    return RefuseModel("its input is ", ElementTypeName(input.type),
                       ", its weights ", ElementTypeName(weights.type),
                       "; expected one type");
  }
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(p.target, TargetOf(output, activation));
  if (input.type != ElementType::kFloat32) {
    std::vector<Multiplier> multipliers(static_cast<size_t>(channels));
    STOWAGE_RETURN_IF_ERROR(SetChannelFactors(
        input, weights, output, context.spec().name == "FULLY_CONNECTED",
        absl::MakeSpan(multipliers)));
    std::vector<Factor> factors;
    factors.reserve(multipliers.size());
    for (const Multiplier& multiplier : multipliers) {
      factors.push_back(FactorOf(multiplier));
    }
    launch.table = BytesOf(factors.data(), factors.size());
    p.input_zero = input.quantization.zero_point();
    // Weights with several zero points are accepted only if all of the zero
    // points are 0, so a single number suffices here.
    p.weights_zero = weights.quantization.zero_point();
  }
  const OperatorSpec& spec = context.spec();
  p.has_bias = context.has_input(2) ? 1 : 0;
  launch.reads = {spec.inputs[0], spec.inputs[1],
                  p.has_bias != 0 ? spec.inputs[2] : kAbsent};
  launch.writes = spec.outputs[0];
  return WithParameters(std::move(launch), items, p);
}

// Converts a number to int. Requires that the number fits in 31 bits.
// Dimensions of outputs fit because CheckItems checks them, and dimensions of
// inputs fit because the size of a tensor in bytes is limited.
int Int(int64_t value) { return static_cast<int>(value); }

FilterParameters ParametersOf(const ImageWindow& window) {
  FilterParameters p = {};
  p.in_height = Int(window.y.in);
  p.in_width = Int(window.x.in);
  p.in_channels = Int(window.channels);
  p.out_height = Int(window.y.out);
  p.out_width = Int(window.x.out);
  p.taps_y = Int(window.y.taps);
  p.taps_x = Int(window.x.taps);
  p.stride_y = Int(window.y.stride);
  p.stride_x = Int(window.x.stride);
  p.dilation_y = Int(window.y.dilation);
  p.dilation_x = Int(window.x.dilation);
  p.before_y = Int(window.y.before);
  p.before_x = Int(window.x.before);
  p.groups = 1;
  p.group_channels = p.in_channels;
  p.multiplier = 1;
  return p;
}

// Returns the number of work-items of conv_2d. Each work-item computes one
// pixel for a block of 4 filters of one group.
int64_t BlocksOf(const FilterParameters& p, int64_t pixels) {
  return pixels * p.groups * ((p.group_filters + 3) / 4);
}

}  // namespace

absl::StatusOr<Launch> LaunchConv2D(NodeContext& context) {
  const Tensor& weights = context.input(1);
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(context.spec()));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(context.input(0).shape, weights.shape, options));
  STOWAGE_RETURN_IF_ERROR(CheckWindow(window));
  FilterParameters p = ParametersOf(window);
  p.group_channels = weights.dim(3);
  p.groups = p.in_channels / p.group_channels;
  p.group_filters = weights.dim(0) / p.groups;
  return FinishLinear(context, "conv_2d", weights.dim(0), options.activation,
                      BlocksOf(p, window.batches * window.y.out * window.x.out),
                      p);
}

absl::StatusOr<Launch> LaunchDepthwiseConv2D(NodeContext& context) {
  const Tensor& weights = context.input(1);
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(context.spec()));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(context.input(0).shape, weights.shape, options));
  STOWAGE_RETURN_IF_ERROR(CheckWindow(window));
  FilterParameters p = ParametersOf(window);
  const int32_t filters = weights.dim(3);
  p.multiplier = filters / p.in_channels;
  return FinishLinear(context, "depthwise_conv_2d", filters, options.activation,
                      context.output(0).elements(), p);
}

absl::StatusOr<Launch> LaunchFullyConnected(NodeContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const FullyConnectedOptions options,
                           FullyConnectedOptionsOf(context.spec()));
  const Tensor& weights = context.input(1);
  const int32_t depth = weights.dim(1);
  const int64_t rows = context.input(0).elements() / depth;
  ImageWindow pixel;
  pixel.y.in = pixel.y.out = 1;
  pixel.x.in = pixel.x.out = 1;
  pixel.channels = depth;
  FilterParameters p = ParametersOf(pixel);
  p.group_filters = weights.dim(0);
  return FinishLinear(context, "conv_2d", weights.dim(0), options.activation,
                      BlocksOf(p, rows), p);
}

}  // namespace stowage::harness::opencl
