// SPDX-License-Identifier: Apache-2.0
// How one node of a model is run by one operator of XNNPACK: what it reads and
// writes, and the calls that make and set up the operator. For the kernel that
// runs them see xnnpack_delegate.cc.
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

// Where the operands of an operator are.
struct Addresses {
  std::array<const void*, 2> inputs = {};
  void* output = nullptr;

  bool operator==(const Addresses& other) const {
    return inputs == other.inputs && output == other.output;
  }
};

// Valid while the graph is, but for `setup`, which is valid without it.
struct Operation {
  using Create = std::function<xnn_status(xnn_operator_t*)>;
  using Setup = std::function<xnn_status(xnn_operator_t, const Addresses&,
                                         pthreadpool_t)>;

  // Tensors that are read while it runs, at most two; weights are not.
  std::vector<size_t> inputs;
  // Which of them the output may share the memory of.
  InPlace in_place = InPlace::kNever;
  // Neither: the node copies its input.
  Create create;
  Setup setup;
  // `create` packs weights, which takes time.
  bool packs_weights = false;
};

// Error: Unimplemented, saying why, for a node that XNNPACK does not run, or
// not with the results of this library's kernels.
absl::StatusOr<Operation> Describe(const Node& node);

// What the files of operators have for Describe: an operation by the name of
// an operator.
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

// setup(operator, sizes..., input, output, pool).
template <typename In, typename Out, typename F, typename... Sizes>
Operation::Setup SetupUnary(F setup, Sizes... sizes) {
  return [=](xnn_operator_t op, const Addresses& at, pthreadpool_t pool) {
    return setup(op, sizes..., static_cast<const In*>(at.inputs[0]),
                 static_cast<Out*>(at.output), pool);
  };
}

// The one for FLOAT32, INT8 or UINT8, input and output of one type.
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
