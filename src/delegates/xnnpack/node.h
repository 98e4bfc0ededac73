// SPDX-License-Identifier: Apache-2.0
// Gives the delegate access to a node of a graph and to its tensors, and checks
// whether XNNPACK supports them. Every check fails with Unimplemented and a
// message that states what was found and what was expected. OutputRangeOf may
// return other errors.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/harness/delegate.h"
#include "stowage/harness/fixed_point.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator_options.h"

namespace stowage::harness::xnnpack {

// Returns Unimplemented with the concatenation of `parts` as its message.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Returns the constant that determines the value of a tensor: the tensor itself
// if it is constant, or the FLOAT16 constant that the model converts to the
// tensor. Returns null if the value is computed while the model runs.
const Tensor* ConstantBehind(const DelegateGraph& graph, size_t tensor);

class Node {
 public:
  // Both arguments must outlive the object.
  Node(const DelegateGraph& graph, const OperatorSpec& spec)
      : graph_(graph), spec_(spec) {}

  const OperatorSpec& spec() const { return spec_; }
  bool has_input(size_t i) const {
    return i < spec_.inputs.size() && spec_.inputs[i] != kAbsent;
  }
  size_t input_count() const { return spec_.inputs.size(); }
  // Returns input `i`. Requires that the input is present.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Returns the only output. Requires that CheckData has accepted the node.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }
  // Returns ConstantBehind for input `i`, or null if the input is absent or
  // computed.
  const Tensor* constant(size_t i) const {
    return has_input(i) ? ConstantBehind(graph_, spec_.inputs[i]) : nullptr;
  }

  // Checks that these inputs and the only output are present, are not empty,
  // have shapes that do not depend on data, and are of type FLOAT32, INT8 or
  // UINT8.
  absl::Status CheckData(std::initializer_list<size_t> inputs) const;
  // Checks the same as CheckData, and also that all of these tensors have the
  // same type.
  absl::Status CheckOneDataType(std::initializer_list<size_t> inputs) const;

 private:
  absl::Status CheckTensor(absl::string_view which, size_t tensor) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
};

// The scale and the zero point of a tensor, in the form that XNNPACK expects.
struct ScaleAndZero {
  float scale = 0;
  int32_t zero_point = 0;
};
// Returns the scale and the zero point of a tensor. Error: Unimplemented unless
// the tensor has a single scale, the scale is a normal number above 0, and the
// zero point is in the range of the type.
absl::StatusOr<ScaleAndZero> ScaleAndZeroOf(const Tensor& tensor);

// The range of results after an activation and, for a quantized output, the
// scale and the zero point.
struct OutputRange {
  Range<float> real = {};
  Range<int32_t> quantized = {};
  ScaleAndZero scale;
};
// Returns the range of an output. Errors: those of ScaleAndZeroOf; those of
// FloatRange for an activation that cannot be fused; Unimplemented if the range
// contains only a single value.
absl::StatusOr<OutputRange> OutputRangeOf(
    const Tensor& output, FusedActivation activation = FusedActivation::kNone);

// Checks that both tensors have the same scale and zero point, or that neither
// has any.
absl::Status CheckSameScale(const Tensor& a, const Tensor& b);

// Convert a number, which must not be negative.
inline size_t Size(int64_t count) { return static_cast<size_t>(count); }
inline uint32_t Number(int64_t count) { return static_cast<uint32_t>(count); }

std::vector<size_t> Sizes(const Shape& shape);

// The number and the length of the rows of a tensor along its last dimension. A
// scalar is one row with one element.
struct Rows {
  explicit Rows(const Tensor& tensor);
  size_t count = 1;
  size_t channels = 1;
};

// The elements of a FLOAT32 or FLOAT16 constant as floats.
class ConstantFloats {
 public:
  explicit ConstantFloats(const Tensor* tensor);
  // Returns the floats, or null if there is no tensor. The floats are valid as
  // long as this object and the constant exist.
  const float* data() const { return data_; }

 private:
  std::vector<float> converted_;
  const float* data_ = nullptr;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
