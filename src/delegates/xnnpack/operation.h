// SPDX-License-Identifier: Apache-2.0
// Describes how one operator of XNNPACK runs one node of a model: its inputs
// and output, and the calls that create and set up the operator. The kernel
// that runs operators is in xnnpack_delegate.cc.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_OPERATION_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_OPERATION_H_

#include <xnnpack.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "src/delegates/xnnpack/node.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness::xnnpack {

// The addresses of the inputs and the output of an operator.
struct Addresses {
  std::array<const void*, 2> inputs = {};
  void* output = nullptr;

  bool operator==(const Addresses& other) const {
    return inputs == other.inputs && output == other.output;
  }
};

// The functions and tensors with which XNNPACK runs a node. `create` must not
// be called after the graph has been destroyed; `setup` does not need the
// graph.
struct Operation {
  using Create = std::function<xnn_status(xnn_operator_t*)>;
  using Setup = std::function<xnn_status(xnn_operator_t, const Addresses&,
                                         pthreadpool_t)>;

  // The tensors that the operator reads when it runs, at most two. Weights are
  // not listed, because `create` packs them.
  std::vector<size_t> inputs;
  // The inputs that may share their memory with the output.
  InPlace in_place = InPlace::kNever;
  // The functions that create and set up the operator. If both are empty, the
  // node copies its input.
  Create create;
  Setup setup;
  // True if `create` packs weights, which takes time.
  bool packs_weights = false;
};

// Describes how XNNPACK runs a node. Errors: Unimplemented, with the reason, if
// XNNPACK cannot run the node, or if its results would differ from the results
// of this library's kernels; InvalidArgument if the options of the node are
// invalid or its activation cannot be fused.
absl::StatusOr<Operation> Describe(const Node& node);

// A row of the tables that Describe searches: the name of an operator and the
// function that describes its nodes.
using DescribeFunction = absl::StatusOr<Operation> (*)(const Node&);
struct DescribeRow {
  absl::string_view name;
  DescribeFunction describe;
  bool is_custom = false;
};
absl::Span<const DescribeRow> LinearRows();
absl::Span<const DescribeRow> ElementwiseRows();
absl::Span<const DescribeRow> ConvertRows();
absl::Span<const DescribeRow> ImageRows();

// Returns a function that calls setup(operator, sizes..., input, output, pool).
template <typename In, typename Out, typename F, typename... Sizes>
Operation::Setup SetupUnary(F setup, Sizes... sizes) {
  return [=](xnn_operator_t op, const Addresses& at, pthreadpool_t pool) {
    return setup(op, sizes..., static_cast<const In*>(at.inputs[0]),
                 static_cast<Out*>(at.output), pool);
  };
}

// Returns the setup function of a node whose input and output have the same
// type, which is FLOAT32, INT8 or UINT8.
template <typename F32, typename S8, typename U8, typename... Sizes>
Operation::Setup SetupUnaryOf(ElementType type, F32 f32, S8 s8, U8 u8,
                              Sizes... sizes) {
  switch (type) {
    case ElementType::kInt8:
      return SetupUnary<int8_t, int8_t>(s8, sizes...);
    case ElementType::kUint8:
      return SetupUnary<uint8_t, uint8_t>(u8, sizes...);
    default:
      return SetupUnary<float, float>(f32, sizes...);
  }
}

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_OPERATION_H_
