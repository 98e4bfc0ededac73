// SPDX-License-Identifier: Apache-2.0
// A node of a graph as the delegate looks at it: its tensors, and checks of
// what XNNPACK can do with them. Every check fails as Unimplemented, with what
// was found and what was expected.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness::xnnpack {

// Unimplemented with a message joined of parts.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// The constant that a tensor is, of FLOAT16 if the model turns that into this
// tensor; null for a tensor that is computed.
const Tensor* ConstantBehind(const DelegateGraph& graph, size_t tensor);

class Node {
 public:
  // Both must outlive it.
  Node(const DelegateGraph& graph, const OperatorSpec& spec)
      : graph_(graph), spec_(spec) {}

  const OperatorSpec& spec() const { return spec_; }
  bool has_input(size_t i) const {
    return i < spec_.inputs.size() && spec_.inputs[i] != kAbsent;
  }
  size_t input_count() const { return spec_.inputs.size(); }
  // Of an input that is there.
  const Tensor& input(size_t i) const { return graph_.tensor(spec_.inputs[i]); }
  // Of a node that CheckData has accepted.
  const Tensor& output() const { return graph_.tensor(spec_.outputs[0]); }
  // Null for an input that is left out or computed.
  const Tensor* constant(size_t i) const {
    return has_input(i) ? ConstantBehind(graph_, spec_.inputs[i]) : nullptr;
  }
  // Whether input `i` is a constant of FLOAT32, perhaps as FLOAT16.
  bool HasConstantFloats(size_t i) const;

  // Error unless these inputs and the one output are there, have elements and
  // shapes that do not depend on data, and are of FLOAT32, INT8 or UINT8.
  absl::Status CheckData(std::initializer_list<size_t> inputs) const;
  // The same, and all are of one type.
  absl::Status CheckOneDataType(std::initializer_list<size_t> inputs) const;

 private:
  absl::Status CheckTensor(absl::string_view which, size_t tensor) const;

  const DelegateGraph& graph_;
  const OperatorSpec& spec_;
};

// One scale and zero point, as XNNPACK takes them.
struct ScaleAndZero {
  float scale = 0;
  int32_t zero_point = 0;
};
// Error unless the tensor has one scale, a normal number above 0, and a zero
// point of its type.
absl::StatusOr<ScaleAndZero> ScaleAndZeroOf(const Tensor& tensor);

// Where results go: the range that an activation leaves, and of a quantized
// output scale and zero point.
struct OutputRange {
  Range<float> real = {};
  Range<int32_t> quantized = {};
  ScaleAndZero scale;
};
// Error for an activation that cannot be fused, or leaves one value alone.
absl::StatusOr<OutputRange> OutputRangeOf(
    const Tensor& output, tflite::ActivationFunctionType activation =
                              tflite::ActivationFunctionType::NONE);

// The same scales and zero points, or none on either side.
absl::Status CheckSameScale(const Tensor& a, const Tensor& b);

// A number that is not negative, as a size.
inline size_t Size(int64_t count) { return static_cast<size_t>(count); }
inline uint32_t Number(int64_t count) { return static_cast<uint32_t>(count); }

std::vector<size_t> Sizes(const Shape& shape);

// A tensor as rows of its last dimension; a scalar is one row of one element.
struct Rows {
  explicit Rows(const Tensor& tensor);
  size_t count = 1;
  size_t channels = 1;
};

// The elements of a constant of FLOAT32 or FLOAT16, or of none.
class ConstantFloats {
 public:
  explicit ConstantFloats(const Tensor* tensor);
  // Null for no tensor. Valid as long as this and the constant are.
  const float* data() const { return data_; }

 private:
  std::vector<float> converted_;
  const float* data_ = nullptr;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_NODE_H_
