// SPDX-License-Identifier: Apache-2.0
// Describes how the device runs one node: the kernel, its inputs and output,
// and its parameters. A node has a launch if and only if the delegate can run
// it.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_LAUNCH_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_LAUNCH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/delegates/opencl/kernels/parameters.h"
#include "src/delegates/opencl/node_context.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/window.h"

namespace stowage::harness::opencl {

struct Launch {
  // The name of the kernel, such as "conv_2d_int8" (kernel_sources.h). If the
  // name is empty, the bytes of the input are copied to the output.
  std::string kernel;
  // The arguments of the kernel, in this order: the tensors that it reads
  // (kAbsent for an optional input that is absent), the table unless it is
  // empty, the tensor that it writes, and the parameters.
  std::vector<size_t> reads;
  std::vector<uint8_t> table;
  size_t writes = 0;
  std::vector<uint8_t> parameters;  // the bytes of a struct of parameters.h
  size_t items = 0;  // the number of work-items that compute something
};

// Returns the launch of a node. Error: InvalidArgument, with the reason, for a
// node that cannot run on the device.
absl::StatusOr<Launch> LaunchOf(const DelegateGraph& graph, int node);

// BytesOf returns the bytes of `count` elements. The functions below use it to
// store structs and lists in a Launch.
template <typename T>
std::vector<uint8_t> BytesOf(const T* elements, size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<uint8_t> result(count * sizeof(T));
  if (count > 0) std::memcpy(result.data(), elements, result.size());
  return result;
}

inline Factor FactorOf(const Multiplier& multiplier) {
  return {multiplier.mantissa, multiplier.exponent};
}

inline Target TargetOf(const Range<float>& range) {
  Target target = {};
  target.float_min = range.min;
  target.float_max = range.max;
  return target;
}
inline Target TargetOf(const QuantizedOutput& output) {
  Target target = {};
  target.min = output.range.min;
  target.max = output.range.max;
  target.zero_point = output.zero_point;
  return target;
}
// Returns the target for `output` after the fused `activation`. Error: that of
// FloatRange.
absl::StatusOr<Target> TargetOf(const Tensor& output,
                                FusedActivation activation);

// Returns the name of the kernel in `file` for the type of `tensor`, such as
// "conv_2d_int8" for "conv_2d" and INT8. Error: InvalidArgument for types other
// than FLOAT32, INT8 and UINT8.
absl::StatusOr<std::string> KernelFor(absl::string_view file,
                                      const Tensor& tensor);

// CheckItems converts a number of work-items to int. WithParameters sets
// `parameters.items` to this number and returns the launch with these
// parameters. Error: InvalidArgument if `items` is not positive, or if it would
// exceed 31 bits once it is rounded up to a multiple of the work-group size.
absl::StatusOr<int> CheckItems(int64_t items);
template <typename Parameters>
absl::StatusOr<Launch> WithParameters(Launch launch, int64_t items,
                                      Parameters parameters) {
  STOWAGE_ASSIGN_OR_RETURN(parameters.items, CheckItems(items));
  launch.items = static_cast<size_t>(items);
  launch.parameters = BytesOf(&parameters, 1);
  return launch;
}

// Checks that no position within a window can exceed 31 bits. Error:
// InvalidArgument.
absl::Status CheckWindow(const ImageWindow& window);

// Each function below returns the launch of a node with one kind of operator.
// Requires that CheckStatic has accepted the node.
absl::StatusOr<Launch> LaunchConv2D(NodeContext& context);
absl::StatusOr<Launch> LaunchDepthwiseConv2D(NodeContext& context);
absl::StatusOr<Launch> LaunchFullyConnected(NodeContext& context);
absl::StatusOr<Launch> LaunchPool(NodeContext& context);
absl::StatusOr<Launch> LaunchBinary(NodeContext& context);
absl::StatusOr<Launch> LaunchTable(NodeContext& context);
absl::StatusOr<Launch> LaunchRelu(NodeContext& context);
absl::StatusOr<Launch> LaunchQuantize(NodeContext& context);
absl::StatusOr<Launch> LaunchPad(NodeContext& context);
absl::StatusOr<Launch> LaunchMean(NodeContext& context);
absl::StatusOr<Launch> LaunchSoftmax(NodeContext& context);
absl::StatusOr<Launch> LaunchCopy(NodeContext& context);

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_LAUNCH_H_
