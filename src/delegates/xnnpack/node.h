// SPDX-License-Identifier: Apache-2.0
// The delegate's view of a node of a graph: its tensors, and checks of whether
// XNNPACK supports them. Every failed check is Unimplemented and says what was
// found and what was expected.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness::xnnpack {

// Returns Unimplemented with a message joined from parts.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// Returns the constant of a tensor, or the FLOAT16 constant that the model
// converts to it; null for a tensor that is computed.
const Tensor* ConstantBehind(const DelegateGraph& graph, size_t tensor);

class Node {
 public:
  // Both must outlive the object.
  Node(const DelegateGraph& graph, const OperatorSpec& spec)
      : graph_(graph), spec_(spec) {}

  const OperatorSpec& spec() const { return spec_; }
  bool has_input(size_t i) const {
    return i < spec_.inputs.size() && spec_.inputs[i] != kAbsent;
  }
  size_t input_count() const { return spec_.inputs.size(); }
  // Requires an input that is present.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Requires a node that CheckData has accepted.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }
  // Returns null for an input that is left out or computed.
  const Tensor* constant(size_t i) const {
    return has_input(i) ? ConstantBehind(graph_, spec_.inputs[i]) : nullptr;
  }
  // Returns whether input `i` is a constant of FLOAT32, possibly stored as
  // FLOAT16.
  bool HasConstantFloats(size_t i) const;

  // Error unless these inputs and the only output are present, have elements
  // and shapes that do not depend on data, and are of FLOAT32, INT8 or UINT8.
  absl::Status CheckData(std::initializer_list<size_t> inputs) const;
  // Does the same; all must be of one type.
  absl::Status CheckOneDataType(std::initializer_list<size_t> inputs) const;

 private:
  absl::Status CheckTensor(absl::string_view which, size_t tensor) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
};

// One scale and zero point in the form that XNNPACK takes.
struct ScaleAndZero {
  float scale = 0;
  int32_t zero_point = 0;
};
// Error unless the tensor has one scale, which is normal and above 0, and a
// zero point in the range of its type.
absl::StatusOr<ScaleAndZero> ScaleAndZeroOf(const Tensor& tensor);

// The range of results after an activation and, for a quantized output, its
// scale and zero point.
struct OutputRange {
  Range<float> real = {};
  Range<int32_t> quantized = {};
  ScaleAndZero scale;
};
// Error for an activation that cannot be fused, or that leaves only one value.
absl::StatusOr<OutputRange> OutputRangeOf(
    const Tensor& output, tflite::ActivationFunctionType activation =
                              tflite::ActivationFunctionType::NONE);

// Error unless both have the same scale and zero point, or neither has any.
absl::Status CheckSameScale(const Tensor& a, const Tensor& b);

// Convert a number that is not negative.
inline size_t Size(int64_t count) { return static_cast<size_t>(count); }
inline uint32_t Number(int64_t count) { return static_cast<uint32_t>(count); }

std::vector<size_t> Sizes(const Shape& shape);

// A tensor as rows of its last dimension; a scalar is one row of one element.
struct Rows {
  explicit Rows(const Tensor& tensor);
  size_t count = 1;
  size_t channels = 1;
};

// The elements of a constant of FLOAT32 or FLOAT16, or none.
class ConstantFloats {
 public:
  explicit ConstantFloats(const Tensor* tensor);
  // Returns null if there is no tensor. Valid as long as this object and the
  // constant exist.
  const float* data() const { return data_; }

 private:
  std::vector<float> converted_;
  const float* data_ = nullptr;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
