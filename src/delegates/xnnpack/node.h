// SPDX-License-Identifier: Apache-2.0
// Gives the delegate access to a node of a graph and to its tensors, and checks
// whether XNNPACK supports them. The error of every check is Unimplemented, and
// says what was found and what was expected.
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

// Returns Unimplemented. The message consists of the given parts.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Returns the constant that determines a tensor: the tensor itself if it is
// constant, or the FLOAT16 constant from which the model converts it. Returns
// null for a tensor that is computed.
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
  // Returns an input, which must be present.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Returns the only output. CheckData must have accepted the node.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }
  // Returns the constant that determines an input. Returns null if the input is
  // left out or computed.
  const Tensor* constant(size_t i) const {
    return has_input(i) ? ConstantBehind(graph_, spec_.inputs[i]) : nullptr;
  }

  // Checks that these inputs and the only output are present and have elements,
  // that their shapes do not depend on data, and that their types are FLOAT32,
  // INT8 or UINT8.
  absl::Status CheckData(std::initializer_list<size_t> inputs) const;
  // Checks the same as CheckData, and that all of these tensors have one type.
  absl::Status CheckOneDataType(std::initializer_list<size_t> inputs) const;

 private:
  absl::Status CheckTensor(absl::string_view which, size_t tensor) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
};

// The scale and the zero point of a tensor, in the form that XNNPACK takes.
struct ScaleAndZero {
  float scale = 0;
  int32_t zero_point = 0;
};
// Returns the scale and the zero point of a tensor. Returns an error unless the
// tensor has a single scale, the scale is a normal number above 0, and the zero
// point is in the range of the type.
absl::StatusOr<ScaleAndZero> ScaleAndZeroOf(const Tensor& tensor);

// The range of results after an activation. For a quantized output it also has
// the scale and the zero point.
struct OutputRange {
  Range<float> real = {};
  Range<int32_t> quantized = {};
  ScaleAndZero scale;
};
// Returns the range of an output. Returns an error for an activation that
// cannot be fused, and for one that leaves only a single value.
absl::StatusOr<OutputRange> OutputRangeOf(
    const Tensor& output, FusedActivation activation = FusedActivation::kNone);

// Checks that both tensors have the same scale and zero point, or that neither
// has any.
absl::Status CheckSameScale(const Tensor& a, const Tensor& b);

// These functions convert a number, which must not be negative.
inline size_t Size(int64_t count) { return static_cast<size_t>(count); }
inline uint32_t Number(int64_t count) { return static_cast<uint32_t>(count); }

std::vector<size_t> Sizes(const Shape& shape);

// A tensor that is treated as rows along its last dimension. A scalar is one
// row with one element.
struct Rows {
  explicit Rows(const Tensor& tensor);
  size_t count = 1;
  size_t channels = 1;
};

// Holds the elements of a constant of FLOAT32 or FLOAT16 as floats.
class ConstantFloats {
 public:
  explicit ConstantFloats(const Tensor* tensor);
  // Returns the floats, or null if there is no tensor. They are valid as long
  // as this object and the constant exist.
  const float* data() const { return data_; }

 private:
  std::vector<float> converted_;
  const float* data_ = nullptr;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
