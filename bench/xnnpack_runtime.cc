// SPDX-License-Identifier: Apache-2.0
#include "bench/xnnpack_runtime.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "src/delegates/xnnpack/node.h"
#include "src/delegates/xnnpack/runtime.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/tensor.h"

namespace stowage::bench {
namespace {

using harness::ConvolutionOptions;
using harness::FullyConnectedOptions;
using harness::FusedActivation;
using harness::Padding;
using harness::PoolOptions;
using harness::Range;
using harness::Tensor;
using harness::xnnpack::Number;
using harness::xnnpack::Size;
using harness::xnnpack::Sizes;
using harness::xnnpack::StatusOf;

// Holds an operator and the XNNPACK values that it reads and writes.
struct Definition {
  xnn_subgraph_t subgraph;
  const harness::Subgraph& graph;
  const OperatorSpec& spec;
  std::array<uint32_t, 3> in;  // XNN_INVALID_VALUE_ID for none
  uint32_t out = XNN_INVALID_VALUE_ID;

  const Tensor& input(size_t i) const { return graph.tensor(spec.inputs[i]); }
  const Tensor& output() const { return graph.tensor(spec.outputs[0]); }
};

// Returns the lower and upper limit of an activation. A missing limit is
// infinite.
absl::StatusOr<Range<float>> LimitsOf(FusedActivation activation) {
  STOWAGE_ASSIGN_OR_RETURN(Range<float> limits,
                           harness::FloatRange(activation));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (limits.min == harness::kNoMin) limits.min = -kInfinity;
  if (limits.max == harness::kNoMax) limits.max = kInfinity;
  return limits;
}

uint32_t FlagOf(Padding padding) {
  return padding == Padding::kSame ? XNN_FLAG_TENSORFLOW_SAME_PADDING : 0;
}

// Defines a convolution or a depthwise convolution. `sizes` are the numbers of
// groups and channels.
template <typename F, typename... Sizes>
absl::StatusOr<xnn_status> DefineFilter(const Definition& d, F define,
                                        Sizes... sizes) {
  STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                           harness::ConvolutionOptionsOf(d.spec));
  STOWAGE_ASSIGN_OR_RETURN(const Range<float> limits,
                           LimitsOf(options.activation));
  const Tensor& weights = d.input(1);
  return define(d.subgraph, 0, 0, 0, 0, Number(weights.dim(1)),
                Number(weights.dim(2)), Number(options.stride.height),
                Number(options.stride.width), Number(options.dilation.height),
                Number(options.dilation.width), sizes..., limits.min,
                limits.max, d.in[0], d.in[1], d.in[2], d.out,
                FlagOf(options.padding));
}

absl::StatusOr<xnn_status> DefineConvolution(const Definition& d) {
  const Tensor& weights = d.input(1);
  const int32_t groups = d.input(0).dim(3) / weights.dim(3);
  return DefineFilter(d, xnn_define_convolution_2d, Number(groups),
                      Size(weights.dim(3)), Size(weights.dim(0) / groups));
}

absl::StatusOr<xnn_status> DefineDepthwise(const Definition& d) {
  const int32_t channels = d.input(0).dim(3);
  return DefineFilter(d, xnn_define_depthwise_convolution_2d,
                      Number(d.input(1).dim(3) / channels), Size(channels));
}

absl::StatusOr<xnn_status> DefineFullyConnected(const Definition& d) {
  STOWAGE_ASSIGN_OR_RETURN(const FullyConnectedOptions options,
                           harness::FullyConnectedOptionsOf(d.spec));
  STOWAGE_ASSIGN_OR_RETURN(const Range<float> limits,
                           LimitsOf(options.activation));
  return xnn_define_fully_connected(
      d.subgraph, limits.min, limits.max, d.in[0], d.in[1], d.in[2], d.out,
      d.input(0).rank() == 2 ? 0 : XNN_FLAG_TENSORFLOW_RESHAPE_2D);
}

absl::StatusOr<xnn_status> DefinePool(const Definition& d) {
  STOWAGE_ASSIGN_OR_RETURN(const PoolOptions options,
                           harness::PoolOptionsOf(d.spec));
  STOWAGE_ASSIGN_OR_RETURN(const Range<float> limits,
                           LimitsOf(options.activation));
  const auto define = [&](auto function, auto... dilation) {
    return function(d.subgraph, 0, 0, 0, 0, Number(options.filter.height),
                    Number(options.filter.width), Number(options.stride.height),
                    Number(options.stride.width), dilation..., limits.min,
                    limits.max, d.in[0], d.out, FlagOf(options.padding));
  };
  constexpr uint32_t kDense = 1;
  if (d.spec.name == "MAX_POOL_2D") {
    return define(xnn_define_max_pooling_2d, kDense, kDense);
  }
  // XNNPACK has a separate operator for averages over a whole image.
  const bool is_whole = options.filter.height == d.input(0).dim(1) &&
                        options.filter.width == d.input(0).dim(2) &&
                        d.output().dim(1) == 1 && d.output().dim(2) == 1;
  if (!is_whole) return define(xnn_define_average_pooling_2d);
  return xnn_define_global_average_pooling_2d(d.subgraph, limits.min,
                                              limits.max, d.in[0], d.out, 0);
}

absl::StatusOr<xnn_status> DefineAdd(const Definition& d) {
  STOWAGE_ASSIGN_OR_RETURN(const FusedActivation activation,
                           harness::ArithmeticActivationOf(d.spec));
  STOWAGE_ASSIGN_OR_RETURN(const Range<float> limits, LimitsOf(activation));
  return xnn_define_add2(d.subgraph, limits.min, limits.max, d.in[0], d.in[1],
                         d.out, 0);
}

absl::StatusOr<xnn_status> DefineConvert(const Definition& d) {
  return xnn_define_convert(d.subgraph, d.in[0], d.out, 0);
}

absl::StatusOr<xnn_status> DefineRelu(const Definition& d) {
  return xnn_define_clamp(d.subgraph, 0, std::numeric_limits<float>::infinity(),
                          d.in[0], d.out, 0);
}

absl::StatusOr<xnn_status> DefineSoftmax(const Definition& d) {
  STOWAGE_ASSIGN_OR_RETURN(const float beta, harness::SoftmaxBetaOf(d.spec));
  if (beta != 1) {
    return absl::UnimplementedError(
        absl::StrCat("its beta is ", beta, "; expected 1"));
  }
  return xnn_define_softmax(d.subgraph, d.in[0], d.out, 0);
}

absl::StatusOr<xnn_status> DefineReshape(const Definition& d) {
  const std::vector<size_t> shape = Sizes(d.output().shape);
  return xnn_define_static_reshape(d.subgraph, shape.size(), shape.data(),
                                   d.in[0], d.out, 0);
}

absl::StatusOr<xnn_status> DefinePad(const Definition& d) {
  const Tensor& counts = d.input(1);
  if (!counts.is_constant() || counts.type != ElementType::kInt32) {
    return absl::UnimplementedError("its paddings are not INT32 constants");
  }
  std::vector<size_t> before;
  std::vector<size_t> after;
  for (const int32_t count : counts.span<int32_t>()) {
    (before.size() == after.size() ? before : after).push_back(Size(count));
  }
  return xnn_define_static_constant_pad(d.subgraph, before.data(), after.data(),
                                        0, d.in[0], d.out, 0);
}

struct DefineRow {
  absl::string_view name;
  size_t values;  // number of inputs that are values; the rest are parameters
  absl::StatusOr<xnn_status> (*define)(const Definition&);
};

constexpr DefineRow kRows[] = {
    {"ADD", 2, DefineAdd},
    {"AVERAGE_POOL_2D", 1, DefinePool},
    {"CONV_2D", 3, DefineConvolution},
    {"DEPTHWISE_CONV_2D", 3, DefineDepthwise},
    {"DEQUANTIZE", 1, DefineConvert},
    {"FULLY_CONNECTED", 3, DefineFullyConnected},
    {"MAX_POOL_2D", 1, DefinePool},
    {"PAD", 1, DefinePad},
    {"QUANTIZE", 1, DefineConvert},
    {"RELU", 1, DefineRelu},
    {"RESHAPE", 1, DefineReshape},
    {"SOFTMAX", 1, DefineSoftmax},
};

// Translates the tensors and operators of a graph into values and operators of
// XNNPACK.
class Definer {
 public:
  explicit Definer(const harness::Subgraph& graph) : graph_(graph) {}

  // Begins a subgraph. `externals` is the number of its external inputs and
  // outputs.
  absl::Status Begin(size_t externals) {
    xnn_subgraph_t subgraph = nullptr;
    STOWAGE_RETURN_IF_ERROR(StatusOf(
        "creating a subgraph",
        xnn_create_subgraph(static_cast<uint32_t>(externals), 0, &subgraph)));
    subgraph_.reset(subgraph);
    return absl::OkStatus();
  }

  // Defines an external input or output, and assigns the next free number to
  // it.
  absl::Status DefineExternal(size_t tensor, uint32_t flags) {
    const auto number = static_cast<uint32_t>(values_.size());
    return DefineValue(tensor, number, flags).status();
  }

  absl::Status DefineOperator(const OperatorSpec& spec) {
    const auto* const row = absl::c_find_if(
        kRows, [&](const DefineRow& r) { return r.name == spec.name; });
    if (row == std::end(kRows)) {
      return absl::UnimplementedError(
          "it is not among those that this benchmark defines");
    }
    Definition d = {subgraph_.get(), graph_, spec, {}};
    d.in.fill(XNN_INVALID_VALUE_ID);
    for (size_t i = 0; i < std::min(row->values, spec.inputs.size()); ++i) {
      if (spec.inputs[i] == kAbsent) continue;
      STOWAGE_ASSIGN_OR_RETURN(d.in[i], ValueOf(spec.inputs[i]));
    }
    STOWAGE_ASSIGN_OR_RETURN(d.out, ValueOf(spec.outputs[0]));
    STOWAGE_ASSIGN_OR_RETURN(const xnn_status status, row->define(d));
    return StatusOf("defining it", status);
  }

  xnn_subgraph_t subgraph() const { return subgraph_.get(); }

 private:
  absl::StatusOr<uint32_t> ValueOf(size_t tensor) {
    const auto found = values_.find(tensor);
    if (found != values_.end()) return found->second;
    return DefineValue(tensor, XNN_INVALID_VALUE_ID, 0);
  }

  absl::StatusOr<uint32_t> DefineValue(size_t index, uint32_t external,
                                       uint32_t flags) {
    const Tensor& tensor = graph_.tensor(index);
    const std::vector<size_t> shape = Sizes(tensor.shape);
    const void* const data = tensor.is_constant() ? tensor.data : nullptr;
    const Quantization& q = tensor.quantization;
    const xnn_datatype type = TypeOf(tensor);
    uint32_t id = XNN_INVALID_VALUE_ID;
    xnn_status status = xnn_status_success;
    if (type == xnn_datatype_fp32) {
      status =
          xnn_define_tensor_value(subgraph(), type, shape.size(), shape.data(),
                                  data, external, flags, &id);
    } else if (q.scales.size() > 1) {
      status = xnn_define_channelwise_quantized_tensor_value(
          subgraph(), type, q.scales.data(), shape.size(), Size(q.dimension),
          shape.data(), data, external, flags, &id);
    } else {
      status = xnn_define_quantized_tensor_value(
          subgraph(), type, q.zero_point(), q.scale(), shape.size(),
          shape.data(), data, external, flags, &id);
    }
    STOWAGE_RETURN_IF_ERROR(StatusOf(graph_.spec().TensorPlace(index), status));
    values_[index] = id;
    return id;
  }

  static xnn_datatype TypeOf(const Tensor& tensor) {
    const bool is_per_channel = tensor.quantization.scales.size() > 1;
    switch (tensor.type) {
      case ElementType::kFloat32:
        return xnn_datatype_fp32;
      case ElementType::kInt8:
        return is_per_channel ? xnn_datatype_qcint8 : xnn_datatype_qint8;
      case ElementType::kUint8:
        return xnn_datatype_quint8;
      case ElementType::kInt32:
        return is_per_channel ? xnn_datatype_qcint32 : xnn_datatype_qint32;
      default:
        return xnn_datatype_invalid;
    }
  }

  const harness::Subgraph& graph_;
  std::map<size_t, uint32_t> values_;  // by tensor
  std::unique_ptr<xnn_subgraph, decltype(&xnn_delete_subgraph)> subgraph_ = {
      nullptr, xnn_delete_subgraph};
};

}  // namespace

absl::StatusOr<XnnpackRuntime> XnnpackRuntime::Create(
    const harness::Subgraph& graph) {
  STOWAGE_RETURN_IF_ERROR(harness::xnnpack::Initialize());
  const SubgraphSpec& spec = graph.spec();
  absl::Span<const OperatorSpec> operators = spec.operators;
  std::vector<size_t> outputs = spec.outputs;
  if (!operators.empty() && operators.back().name == "SOFTMAX" &&
      graph.tensor(operators.back().inputs[0]).type != ElementType::kFloat32) {
    outputs = {operators.back().inputs[0]};
    operators.remove_suffix(1);
  }
  XnnpackRuntime made;
  made.operators_ = operators.size();
  Definer definer(graph);
  STOWAGE_RETURN_IF_ERROR(definer.Begin(spec.inputs.size() + outputs.size()));
  const auto add = [&](std::vector<External>& externals, size_t tensor,
                       uint32_t flags) {
    const size_t bytes = graph.tensor(tensor).bytes + XNN_EXTRA_BYTES;
    externals.push_back({tensor, std::vector<uint8_t>(bytes)});
    return definer.DefineExternal(tensor, flags);
  };
  for (const size_t tensor : spec.inputs) {
    STOWAGE_RETURN_IF_ERROR(
        add(made.inputs_, tensor, XNN_VALUE_FLAG_EXTERNAL_INPUT));
  }
  for (const size_t tensor : outputs) {
    STOWAGE_RETURN_IF_ERROR(
        add(made.outputs_, tensor, XNN_VALUE_FLAG_EXTERNAL_OUTPUT));
  }
  for (size_t i = 0; i < operators.size(); ++i) {
    const absl::Status status = definer.DefineOperator(operators[i]);
    if (status.ok()) continue;
    return absl::Status(status.code(), absl::StrCat(spec.OperatorPlace(i), ": ",
                                                    status.message()));
  }
  xnn_runtime_t runtime = nullptr;
  STOWAGE_RETURN_IF_ERROR(StatusOf(
      "creating the runtime",
      xnn_create_runtime_v2(definer.subgraph(), nullptr, 0, &runtime)));
  made.runtime_.reset(runtime);
  STOWAGE_RETURN_IF_ERROR(made.SetUp());
  return made;
}

absl::Status XnnpackRuntime::SetUp() {
  std::vector<xnn_external_value> values;
  for (std::vector<External>* const externals : {&inputs_, &outputs_}) {
    for (External& external : *externals) {
      values.push_back(
          {static_cast<uint32_t>(values.size()), external.bytes.data()});
    }
  }
  return StatusOf(
      "setting up the runtime",
      xnn_setup_runtime(runtime_.get(), values.size(), values.data()));
}

absl::Status XnnpackRuntime::Invoke() {
  return StatusOf("running the runtime", xnn_invoke_runtime(runtime_.get()));
}

}  // namespace stowage::bench
