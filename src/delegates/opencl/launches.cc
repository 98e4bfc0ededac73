// SPDX-License-Identifier: Apache-2.0
// Lists the operators that the delegate runs, and creates the launches of the
// operators without weights.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/delegates/opencl/launch.h"
#include "src/delegates/opencl/node_context.h"
#include "stowage/harness/dispatch_type.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/shapes.h"
#include "stowage/harness/window.h"

namespace stowage::harness::opencl {
namespace {

struct Row {
  absl::string_view name;
  absl::StatusOr<Launch> (*launch)(NodeContext& context);
};
constexpr Row kRows[] = {
    {"ADD", LaunchBinary},
    {"AVERAGE_POOL_2D", LaunchPool},
    {"CONV_2D", LaunchConv2D},
    {"DEPTHWISE_CONV_2D", LaunchDepthwiseConv2D},
    {"DEQUANTIZE", LaunchTable},
    {"EXPAND_DIMS", LaunchCopy},
    {"FULLY_CONNECTED", LaunchFullyConnected},
    {"HARD_SWISH", LaunchTable},
    {"LEAKY_RELU", LaunchTable},
    {"LOGISTIC", LaunchTable},
    {"MAX_POOL_2D", LaunchPool},
    {"MEAN", LaunchMean},
    {"MUL", LaunchBinary},
    {"PAD", LaunchPad},
    {"QUANTIZE", LaunchQuantize},
    {"RELU", LaunchRelu},
    {"RELU6", LaunchRelu},
    {"RELU_0_TO_1", LaunchRelu},
    {"RELU_N1_TO_1", LaunchRelu},
    {"RESHAPE", LaunchCopy},
    {"SOFTMAX", LaunchSoftmax},
    {"SQUEEZE", LaunchCopy},
    {"SUB", LaunchBinary},
    {"TANH", LaunchTable},
};

// The maximum number of elements that a kernel may sum. Kernels sum 8-bit
// elements, with zero points subtracted, in 32 bits, so larger sums could
// overflow.
constexpr int64_t kMaxSummed = 1 << 22;

// The maximum size of a tensor in bytes. Kernels compute byte offsets in 32
// bits.
constexpr size_t kMaxBytes = std::numeric_limits<int32_t>::max();

bool IsOf8Bits(const Tensor& tensor) {
  return tensor.type == ElementType::kInt8 ||
         tensor.type == ElementType::kUint8;
}

absl::Status CheckBytes(const Tensor& tensor) {
  STOWAGE_ASSIGN_OR_RETURN(const size_t bytes,
                           TensorBytes(tensor.type, tensor.shape));
  if (bytes > 0 && bytes <= kMaxBytes) return absl::OkStatus();
  return RefuseModel("tensor ", tensor.name, ": it has ", bytes,
                     " bytes; expected 1 to ", kMaxBytes);
}

// Returns the launch that computes output 0 from input 0 with the kernel in
// `file` for the type of the output.
absl::StatusOr<Launch> ElementwiseLaunch(NodeContext& context,
                                         absl::string_view file) {
  Launch launch;
  STOWAGE_ASSIGN_OR_RETURN(launch.kernel, KernelFor(file, context.output(0)));
  launch.reads = {context.spec().inputs[0]};
  launch.writes = context.spec().outputs[0];
  return launch;
}

// Returns the entries of `list` as exactly 4 numbers. If there are fewer than 4
// entries, copies of `unset` are put in front of them. Error: InvalidArgument
// if there are more than 4 entries.
absl::StatusOr<std::array<int64_t, 4>> FourOf(const std::vector<int64_t>& list,
                                              int64_t unset) {
  if (list.size() > 4) {
    return RefuseModel("it has ", list.size(),
                       " dimensions; expected at most 4");
  }
  std::array<int64_t, 4> result;
  result.fill(unset);
  std::copy(list.begin(), list.end(), result.end() - list.size());
  return result;
}

absl::Status CopyFour(const std::vector<int64_t>& list, int64_t unset,
                      int* to) {
  STOWAGE_ASSIGN_OR_RETURN(const auto four, FourOf(list, unset));
  for (size_t i = 0; i < four.size(); ++i) to[i] = static_cast<int>(four[i]);
  return absl::OkStatus();
}

absl::Status CopyFour(const Shape& shape, int* to) {
  return CopyFour(std::vector<int64_t>(shape.begin(), shape.end()), 1, to);
}

// Writes the strides of an input as four numbers. The stride is 0 along a
// dimension in which the input is broadcast.
absl::Status CopyStrides(const Shape& shape, int* to) {
  return CopyFour(BroadcastStrides(shape, shape.size()), 0, to);
}

}  // namespace

absl::StatusOr<std::string> KernelFor(absl::string_view file,
                                      const Tensor& tensor) {
  switch (tensor.type) {
    case ElementType::kFloat32:
      return absl::StrCat(file, "_float");
    case ElementType::kInt8:
      return absl::StrCat(file, "_int8");
    case ElementType::kUint8:
      return absl::StrCat(file, "_uint8");
    default:
      return RefuseType(tensor.name, tensor.type,
                        TypeList<float, int8_t, uint8_t>());
  }
}

absl::StatusOr<Target> TargetOf(const Tensor& output,
                                FusedActivation activation) {
  if (output.type == ElementType::kFloat32) {
    STOWAGE_ASSIGN_OR_RETURN(const Range<float> range, FloatRange(activation));
    return TargetOf(range);
  }
  STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput quantized,
                           QuantizedOutputOf(output, activation));
  return TargetOf(quantized);
}

absl::StatusOr<int> CheckItems(int64_t items) {
  // The limit leaves room for rounding `items` up to a multiple of a
  // work-group, which has fewer than 2^16 work-items.
  constexpr int64_t kMax = std::numeric_limits<int>::max() - (1 << 16);
  if (items > 0 && items <= kMax) return static_cast<int>(items);
  return RefuseModel("it has ", items, " elements; expected 1 to ", kMax);
}

absl::Status CheckWindow(const ImageWindow& window) {
  for (const Window& w : {window.y, window.x}) {
    const int64_t last = w.in + (w.taps - 1) * w.dilation + w.stride;
    if (last <= std::numeric_limits<int32_t>::max()) continue;
    return RefuseModel("its windows end at ", last,
                       "; expected less than 2^31");
  }
  return absl::OkStatus();
}

absl::StatusOr<Launch> LaunchOf(const DelegateGraph& graph, int node) {
  const OperatorSpec& spec = graph.node(node);
  const auto* const row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& r) { return r.name == spec.name; });
  if (spec.is_custom || row == std::end(kRows)) {
    return RefuseModel(spec.TypeText(), ": it does not run on the device");
  }
  NodeContext context(graph, node);
  STOWAGE_RETURN_IF_ERROR(context.CheckStatic());
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    STOWAGE_RETURN_IF_ERROR(CheckBytes(context.input(i)));
  }
  STOWAGE_RETURN_IF_ERROR(CheckBytes(context.output(0)));
  return row->launch(context);
}

absl::StatusOr<Launch> LaunchPool(NodeContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const PoolOptions options,
                           PoolOptionsOf(context.spec()));
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow w,
      MakeImageWindow(context.input(0).shape, options.padding, options.filter,
                      options.stride));
  STOWAGE_RETURN_IF_ERROR(CheckWindow(w));
  if (w.y.taps * w.x.taps > kMaxSummed) {
    return RefuseModel("its windows have ", w.y.taps * w.x.taps,
                       " elements; expected at most ", kMaxSummed);
  }
  PoolParameters p = {};
  p.channels = static_cast<int>(w.channels);
  p.in_height = static_cast<int>(w.y.in);
  p.in_width = static_cast<int>(w.x.in);
  p.out_height = static_cast<int>(w.y.out);
  p.out_width = static_cast<int>(w.x.out);
  p.taps_y = static_cast<int>(w.y.taps);
  p.taps_x = static_cast<int>(w.x.taps);
  p.stride_y = static_cast<int>(w.y.stride);
  p.stride_x = static_cast<int>(w.x.stride);
  p.before_y = static_cast<int>(w.y.before);
  p.before_x = static_cast<int>(w.x.before);
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(p.target, TargetOf(output, options.activation));
  const bool is_average = context.spec().name == "AVERAGE_POOL_2D";
  STOWAGE_ASSIGN_OR_RETURN(
      Launch launch, ElementwiseLaunch(context, is_average ? "average_pool_2d"
                                                           : "max_pool_2d"));
  return WithParameters(std::move(launch), output.elements(), p);
}

absl::StatusOr<Launch> LaunchBinary(NodeContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(Launch launch, ElementwiseLaunch(context, "binary"));
  launch.reads.push_back(context.spec().inputs[1]);
  BinaryParameters p = {};
  if (a.shape == b.shape) {
    const Shape all = {static_cast<int32_t>(output.elements())};
    STOWAGE_RETURN_IF_ERROR(CopyFour(all, p.extents));
    STOWAGE_RETURN_IF_ERROR(CopyStrides(all, p.a_strides));
    STOWAGE_RETURN_IF_ERROR(CopyStrides(all, p.b_strides));
  } else {
    STOWAGE_RETURN_IF_ERROR(CopyFour(output.shape, p.extents));
    STOWAGE_RETURN_IF_ERROR(CopyStrides(a.shape, p.a_strides));
    STOWAGE_RETURN_IF_ERROR(CopyStrides(b.shape, p.b_strides));
  }
  STOWAGE_ASSIGN_OR_RETURN(const FusedActivation activation,
                           ArithmeticActivationOf(context.spec()));
  STOWAGE_ASSIGN_OR_RETURN(p.target, TargetOf(output, activation));
  const std::string& name = context.spec().name;
  if (name == "SUB") p.operation = 1;
  if (name == "MUL") p.operation = 2;
  if (output.type == ElementType::kFloat32) {
    return WithParameters(std::move(launch), output.elements(), p);
  }
  // The arithmetic is the same as in the harness (arithmetic.cc).
  const double a_scale = a.quantization.scale();
  const double b_scale = b.quantization.scale();
  const double out_scale = output.quantization.scale();
  p.a_zero = a.quantization.zero_point();
  p.b_zero = b.quantization.zero_point();
  if (p.operation == 2) {
    p.factor = FactorOf(QuantizeMultiplier(a_scale * b_scale / out_scale));
  } else {
    const double scale = 2 * std::max(a_scale, b_scale);
    p.unit = 1 << 20;
    p.a_factor = FactorOf(QuantizeMultiplier(a_scale / scale));
    p.b_factor = FactorOf(QuantizeMultiplier(b_scale / scale));
    p.factor = FactorOf(QuantizeMultiplier(scale / (p.unit * out_scale)));
  }
  return WithParameters(std::move(launch), output.elements(), p);
}

absl::StatusOr<Launch> LaunchTable(NodeContext& context) {
  const int64_t elements = context.output(0).elements();
  if (!IsOf8Bits(context.input(0)) ||
      context.input(0).quantization.scales.size() != 1) {
    return RefuseModel("its input is ", ElementTypeName(context.input(0).type),
                       "; expected INT8 or UINT8 with one scale");
  }
  STOWAGE_ASSIGN_OR_RETURN(Launch launch,
                           ElementwiseLaunch(context, "look_up"));
  std::vector<uint8_t> all(256);
  std::iota(all.begin(), all.end(), uint8_t{0});
  STOWAGE_ASSIGN_OR_RETURN(launch.table,
                           context.Compute({256}, std::move(all)));
  return WithParameters(std::move(launch), elements, ElementParameters{});
}

absl::StatusOr<Launch> LaunchRelu(NodeContext& context) {
  if (IsOf8Bits(context.input(0))) return LaunchTable(context);
  const std::string& name = context.spec().name;
  Range<float> range = {0, std::numeric_limits<float>::infinity()};
  if (name == "RELU6") range.max = 6;
  if (name == "RELU_0_TO_1" || name == "RELU_N1_TO_1") range.max = 1;
  if (name == "RELU_N1_TO_1") range.min = -1;
  if (context.input(0).type != ElementType::kFloat32) {
    return RefuseType(context.input(0).name, context.input(0).type,
                      TypeList<float, int8_t, uint8_t>());
  }
  STOWAGE_ASSIGN_OR_RETURN(Launch launch, ElementwiseLaunch(context, "clamp"));
  ElementParameters p = {};
  p.target = TargetOf(range);
  return WithParameters(std::move(launch), context.output(0).elements(), p);
}

absl::StatusOr<Launch> LaunchQuantize(NodeContext& context) {
  if (IsOf8Bits(context.input(0))) return LaunchTable(context);
  const Tensor& output = context.output(0);
  if (context.input(0).type != ElementType::kFloat32 || !IsOf8Bits(output)) {
    return RefuseModel("it is from ", ElementTypeName(context.input(0).type),
                       " to ", ElementTypeName(output.type),
                       "; expected INT8 or UINT8, or FLOAT32 to one of these");
  }
  STOWAGE_ASSIGN_OR_RETURN(Launch launch,
                           ElementwiseLaunch(context, "quantize"));
  QuantizeParameters p = {};
  p.scale = output.quantization.scale();
  p.target = TargetOf(QuantizedOutputOf(output));
  return WithParameters(std::move(launch), output.elements(), p);
}

absl::StatusOr<Launch> LaunchPad(NodeContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(Launch launch, ElementwiseLaunch(context, "pad"));
  STOWAGE_ASSIGN_OR_RETURN(const auto paddings, IntegersOf(context, 1));
  std::vector<int64_t> before;
  for (size_t i = 0; i < paddings.size(); i += 2) before.push_back(paddings[i]);
  PadParameters p = {};
  STOWAGE_RETURN_IF_ERROR(CopyFour(input.shape, p.in_extents));
  STOWAGE_RETURN_IF_ERROR(CopyFour(output.shape, p.out_extents));
  STOWAGE_RETURN_IF_ERROR(CopyFour(before, 0, p.before));
  if (IsOf8Bits(output)) p.value = output.quantization.zero_point();
  return WithParameters(std::move(launch), output.elements(), p);
}

absl::StatusOr<Launch> LaunchMean(NodeContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(Launch launch, ElementwiseLaunch(context, "mean"));
  STOWAGE_ASSIGN_OR_RETURN(const auto axes, IntegersOf(context, 1));
  std::vector<bool> is_reduced(input.shape.size(), false);
  for (const int64_t axis : axes) {
    STOWAGE_ASSIGN_OR_RETURN(const int d, ResolveAxis(axis, input.rank()));
    is_reduced[static_cast<size_t>(d)] = true;
  }
  const auto first = std::find(is_reduced.begin(), is_reduced.end(), true);
  const auto end = std::find(first, is_reduced.end(), false);
  if (std::find(end, is_reduced.end(), true) != is_reduced.end()) {
    return RefuseModel("its axes are not adjacent; expected adjacent axes");
  }
  const auto begin_axis = static_cast<int>(first - is_reduced.begin());
  const auto end_axis = static_cast<int>(end - is_reduced.begin());
  const int64_t count = FlatSize(input.shape, begin_axis, end_axis);
  if (count > kMaxSummed) {
    return RefuseModel("it sums ", count, " elements; expected at most ",
                       kMaxSummed);
  }
  MeanParameters p = {};
  p.count = static_cast<int>(count);
  p.inner = static_cast<int>(FlatSize(input.shape, end_axis, input.rank()));
  if (IsOf8Bits(input)) {
    const Quantization& in = input.quantization;
    const Quantization& out = output.quantization;
    const bool has_one_scale =
        in.scale() == out.scale() && in.zero_point() == out.zero_point();
    p.rescales = has_one_scale ? 0 : 1;
    p.input_zeros = p.count * in.zero_point();
    p.factor = FactorOf(DividedBy(RescalingFactor(input, output), count));
    p.target = TargetOf(QuantizedOutputOf(output));
  }
  return WithParameters(std::move(launch), output.elements(), p);
}

absl::StatusOr<Launch> LaunchSoftmax(NodeContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  STOWAGE_ASSIGN_OR_RETURN(const float beta, SoftmaxBetaOf(context.spec()));
  STOWAGE_ASSIGN_OR_RETURN(Launch launch,
                           ElementwiseLaunch(context, "softmax"));
  if (IsOf8Bits(input)) {
    STOWAGE_ASSIGN_OR_RETURN(const ExpTable table,
                             MakeExpTable(input.quantization.scale(), beta));
    launch.table = BytesOf(table.data(), table.size());
  }
  SoftmaxParameters p = {};
  p.depth = input.dim(-1);
  p.beta = beta;
  return WithParameters(std::move(launch), output.elements() / p.depth, p);
}

absl::StatusOr<Launch> LaunchCopy(NodeContext& context) {
  Launch launch;
  launch.reads = {context.spec().inputs[0]};
  launch.writes = context.spec().outputs[0];
  return launch;
}

}  // namespace stowage::harness::opencl
