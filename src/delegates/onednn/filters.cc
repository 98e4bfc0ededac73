// SPDX-License-Identifier: Apache-2.0
// Describes the operators with weights: CONV_2D, DEPTHWISE_CONV_2D and
// FULLY_CONNECTED.
#include <cstdint>
#include <utility>
#include <vector>

#include "src/delegates/onednn/operation.h"
#include "src/delegates/onednn/spatial.h"
#include "stowage/harness/window.h"

namespace stowage::harness::onednn {
namespace {

using Dims = dnnl::memory::dims;
using Type = dnnl::memory::data_type;

// Returns whether this processor has instructions that sum products of bytes
// exactly. Without them, oneDNN adds pairs of products in 16 bits, which can
// overflow.
bool MultipliesBytesExactly() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx:
      return true;
    default:
      return false;
  }
}

// Checks the types of an operator with weights, and provides the attributes
// that convert sums to outputs.
class Weighted {
 public:
  explicit Weighted(const Node& node) : node_(node) {}

  bool has_bias() const { return node_.has_input(2); }
  Type bias_type() const { return is_float_ ? Type::f32 : Type::s32; }
  Type weights_type() const { return is_float_ ? Type::f32 : Type::s8; }

  absl::Status Check() {
    STOWAGE_RETURN_IF_ERROR(node_.CheckData({0}, true));
    is_float_ = node_.output().type == ElementType::kFloat32;
    if (!is_float_ && !MultipliesBytesExactly()) {
      return Refuse("this CPU does not sum products of bytes exactly");
    }
    if (!node_.has_input(1)) return Refuse("input 1: left out");
    STOWAGE_RETURN_IF_ERROR(CheckConstant(1, weights_type()));
    return has_bias() ? CheckConstant(2, bias_type()) : absl::OkStatus();
  }

  // Returns the attributes of the primitive. `channels` is the number of output
  // channels, which are dimension 1 of the result in oneDNN.
  absl::StatusOr<dnnl::primitive_attr> Attributes(
      int64_t channels, FusedActivation activation) const {
    STOWAGE_ASSIGN_OR_RETURN(auto attributes,
                             MakeAttributes(node_.output(), activation));
    if (is_float_) return attributes;
    const auto& scales = node_.input(1).quantization.scales;
    const bool is_per_channel = scales.size() > 1;
    if (scales.empty() ||
        (is_per_channel && static_cast<int64_t>(scales.size()) != channels)) {
      return Refuse("weights: ", scales.size(), " scales; expected 1 or ",
                    channels);
    }
    std::vector<float> factors;
    factors.reserve(scales.size());
    for (const float scale : scales) {
      factors.push_back(static_cast<float>(
          double{node_.input(0).quantization.scale()} * double{scale} /
          double{node_.output().quantization.scale()}));
    }
    attributes.set_output_scales(is_per_channel ? 1 << 1 : 0, factors);
    SetZeroPoint(DNNL_ARG_SRC, node_.input(0), &attributes);
    SetZeroPoint(DNNL_ARG_DST, node_.output(), &attributes);
    return attributes;
  }

 private:
  absl::Status CheckConstant(size_t i, Type expected) const {
    STOWAGE_ASSIGN_OR_RETURN(const Type type, node_.ConstantType(i));
    if (type == expected) return absl::OkStatus();
    return Refuse("input ", i, ": ", ElementTypeName(node_.input(i).type),
                  " with data of ", ElementTypeName(node_.output().type));
  }

  static void SetZeroPoint(int argument, const Tensor& tensor,
                           dnnl::primitive_attr* attributes) {
    const int32_t zero = tensor.quantization.zero_point();
    if (zero != 0) attributes->set_zero_points(argument, 0, {zero});
  }

  const Node& node_;
  bool is_float_ = true;
};

struct Filters {
  Dims dims;     // [groups, filters of a group, channels of a group, y, x]
  Dims strides;  // the strides of the model's weights
};

absl::StatusOr<Operation> DescribeFilters(const Node& node,
                                          const Weighted& weighted,
                                          const ImageWindow& window,
                                          const Filters& filters,
                                          FusedActivation activation) {
  const int64_t channels = filters.dims[0] * filters.dims[1];
  if (node.output().shape != window.OutputShape(channels)) {
    return Refuse("output: ", ShapeText(node.output().shape), "; expected ",
                  ShapeText(window.OutputShape(channels)));
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto attributes,
                           weighted.Attributes(channels, activation));
  // A primitive with a single group is described without groups, since oneDNN
  // has faster code for such a description.
  const bool has_groups = filters.dims[0] > 1;
  const auto without_groups = [&](const Dims& all) {
    return Dims(all.begin() + (has_groups ? 0 : 1), all.end());
  };
  const Dims dims = without_groups(filters.dims);
  const auto any = dnnl::memory::format_tag::any;
  const dnnl::memory::desc weights(dims, weighted.weights_type(), any);
  const dnnl::memory::desc bias =
      weighted.has_bias() ? dnnl::memory::desc({channels}, weighted.bias_type(),
                                               dnnl::memory::format_tag::a)
                          : dnnl::memory::desc();
  const Spatial spatial(window);
  const auto from = ImageDesc(node.input(0));
  const auto to = ImageDesc(node.output());
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(
      operation.primitive,
      MakePrimitive<dnnl::convolution_forward>(
          node.engine(), attributes, dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_direct, from, weights, bias, to,
          spatial.strides, spatial.dilations, spatial.before, spatial.after));
  operation.inputs = {node.Read(DNNL_ARG_SRC, 0, from)};
  operation.output = node.Written(to);
  STOWAGE_ASSIGN_OR_RETURN(
      Constant packed,
      node.ReadConstant(DNNL_ARG_WEIGHTS, 1, dims,
                        without_groups(filters.strides),
                        operation.primitive.query_md(dnnl::query::weights_md)));
  operation.constants.push_back(std::move(packed));
  if (!weighted.has_bias()) return operation;
  STOWAGE_ASSIGN_OR_RETURN(
      Constant packed_bias,
      node.ReadConstant(DNNL_ARG_BIAS, 2, {channels}, {1}, bias));
  operation.constants.push_back(std::move(packed_bias));
  return operation;
}

absl::Status CheckImages(const Node& node) {
  if (node.input(0).rank() == 4 && node.input(1).rank() == 4) {
    return absl::OkStatus();
  }
  return Refuse("inputs: ", node.input(0).rank(), " and ", node.input(1).rank(),
                " dimensions; expected 4");
}

}  // namespace

absl::StatusOr<Operation> DescribeConvolution(const Node& node) {
  Weighted weighted(node);
  STOWAGE_RETURN_IF_ERROR(weighted.Check());
  STOWAGE_RETURN_IF_ERROR(CheckImages(node));
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(node.input(0).shape, node.input(1).shape, options));
  // The weights have the dimensions [output channels, y, x, channels of a
  // group].
  const Tensor& weights = node.input(1);
  const int64_t depth = weights.dim(3);
  const int64_t groups = depth < 1 ? 0 : window.channels / depth;
  if (groups < 1 || groups * depth != window.channels ||
      weights.dim(0) % groups != 0) {
    return Refuse("weights: ", ShapeText(weights.shape), " for ",
                  window.channels, " channels");
  }
  const int64_t row = weights.dim(2) * depth;
  const int64_t filter = weights.dim(1) * row;
  const int64_t group_filters = weights.dim(0) / groups;
  const Filters filters = {
      {groups, group_filters, depth, weights.dim(1), weights.dim(2)},
      {group_filters * filter, filter, 1, row, depth}};
  return DescribeFilters(node, weighted, window, filters, options.activation);
}

absl::StatusOr<Operation> DescribeDepthwise(const Node& node) {
  Weighted weighted(node);
  STOWAGE_RETURN_IF_ERROR(weighted.Check());
  STOWAGE_RETURN_IF_ERROR(CheckImages(node));
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           ConvolutionOptionsOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(node.input(0).shape, node.input(1).shape, options));
  // The weights have the dimensions [1, y, x, channels * multiplier].
  const Tensor& weights = node.input(1);
  const int64_t all = weights.dim(3);
  const int64_t multiplier = all / window.channels;
  if (weights.dim(0) != 1 || multiplier < 1 ||
      multiplier * window.channels != all) {
    return Refuse("weights: ", ShapeText(weights.shape), " for ",
                  window.channels, " channels");
  }
  const Filters filters = {
      {window.channels, multiplier, 1, weights.dim(1), weights.dim(2)},
      {multiplier, 1, 1, weights.dim(2) * all, all}};
  return DescribeFilters(node, weighted, window, filters, options.activation);
}

absl::StatusOr<Operation> DescribeFullyConnected(const Node& node) {
  Weighted weighted(node);
  STOWAGE_RETURN_IF_ERROR(weighted.Check());
  STOWAGE_ASSIGN_OR_RETURN(const FullyConnectedOptions options,
                           FullyConnectedOptionsOf(node.spec()));
  // The weights have the dimensions [output channels, depth].
  const Tensor& weights = node.input(1);
  if (options.weights_format != 0 || weights.rank() != 2 ||
      weights.dim(1) < 1 || node.input(0).elements() % weights.dim(1) != 0) {
    return Refuse("weights: ", ShapeText(weights.shape),
                  "; expected [channels, depth]");
  }
  const int64_t channels = weights.dim(0);
  const int64_t depth = weights.dim(1);
  STOWAGE_ASSIGN_OR_RETURN(const auto attributes,
                           weighted.Attributes(channels, options.activation));
  const auto from = RowsDesc(node.input(0), depth);
  const auto to = RowsDesc(node.output(), channels);
  if (from.dims()[0] != to.dims()[0]) {
    return Refuse("output: ", ShapeText(node.output().shape), "; expected ",
                  from.dims()[0], " rows of ", channels);
  }
  const dnnl::memory::desc any({depth, channels}, weighted.weights_type(),
                               dnnl::memory::format_tag::any);
  const dnnl::memory::desc bias =
      weighted.has_bias()
          ? dnnl::memory::desc({1, channels}, weighted.bias_type(),
                               dnnl::memory::format_tag::ab)
          : dnnl::memory::desc();
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(operation.primitive,
                           MakePrimitive<dnnl::matmul>(
                               node.engine(), attributes, from, any, bias, to));
  operation.inputs = {node.Read(DNNL_ARG_SRC, 0, from)};
  operation.output = node.Written(to);
  STOWAGE_ASSIGN_OR_RETURN(
      Constant packed,
      node.ReadConstant(DNNL_ARG_WEIGHTS, 1, {depth, channels}, {1, depth},
                        operation.primitive.query_md(dnnl::query::weights_md)));
  operation.constants.push_back(std::move(packed));
  if (!weighted.has_bias()) return operation;
  STOWAGE_ASSIGN_OR_RETURN(
      Constant packed_bias,
      node.ReadConstant(DNNL_ARG_BIAS, 2, {1, channels}, {channels, 1}, bias));
  operation.constants.push_back(std::move(packed_bias));
  return operation;
}

}  // namespace stowage::harness::onednn
