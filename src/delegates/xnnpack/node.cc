// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/xnnpack/node.h"

#include <cmath>

#include "stowage/harness/dispatch_type.h"

namespace stowage::harness::xnnpack {

const Tensor* ConstantBehind(const DelegateGraph& graph, size_t tensor) {
  const Tensor& found = graph.tensor(tensor);
  if (found.is_constant()) return &found;
  const size_t half = graph.Float16Source(tensor);
  return half == kAbsent ? nullptr : &graph.tensor(half);
}

absl::Status Node::CheckTensor(absl::string_view which, size_t tensor) const {
  const Tensor& found = graph_.tensor(tensor);
  switch (found.type) {
    case ElementType::kFloat32:
    case ElementType::kInt8:
    case ElementType::kUint8:
      break;
    default:
      return Refuse(which, ": its type is ", ElementTypeName(found.type),
                    "; expected FLOAT32, INT8 or UINT8");
  }
  if (found.storage == Storage::kDynamic) {
    return Refuse(which, ": its shape depends on data; expected a known shape");
  }
  if (found.elements() < 1) {
    return Refuse(which, ": its shape is ", ShapeText(found.shape),
                  "; expected elements");
  }
  return absl::OkStatus();
}

absl::Status Node::CheckData(std::initializer_list<size_t> inputs) const {
  for (const size_t i : inputs) {
    if (!has_input(i)) return Refuse("input ", i, " is left out");
    STOWAGE_RETURN_IF_ERROR(
        CheckTensor(absl::StrCat("input ", i), spec_.inputs[i]));
  }
  if (spec_.outputs.size() != 1 || spec_.outputs[0] == kAbsent) {
    return Refuse("it has ", spec_.outputs.size(), " outputs; expected 1");
  }
  return CheckTensor("its output", spec_.outputs[0]);
}

absl::Status Node::CheckOneDataType(
    std::initializer_list<size_t> inputs) const {
  STOWAGE_RETURN_IF_ERROR(CheckData(inputs));
  for (const size_t i : inputs) {
    if (input(i).type == output().type) continue;
    return Refuse("input ", i, " is of ", ElementTypeName(input(i).type),
                  ", the output of ", ElementTypeName(output().type),
                  "; expected one type");
  }
  return absl::OkStatus();
}

absl::StatusOr<ScaleAndZero> ScaleAndZeroOf(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.size() != 1 || q.zero_points.size() != 1) {
    return Refuse("a tensor has ", q.scales.size(), " scales; expected 1");
  }
  if (!std::isnormal(q.scale()) || q.scale() < 0) {
    return Refuse("a scale is ", q.scale(),
                  "; expected a normal number above 0");
  }
  const int32_t least = tensor.type == ElementType::kInt8 ? -128 : 0;
  if (q.zero_point() < least || q.zero_point() > least + 255) {
    return Refuse("a zero point is ", q.zero_point(), "; expected ", least,
                  " to ", least + 255);
  }
  return ScaleAndZero{q.scale(), q.zero_point()};
}

absl::StatusOr<OutputRange> OutputRangeOf(const Tensor& output,
                                          FusedActivation activation) {
  OutputRange result;
  if (output.type == ElementType::kFloat32) {
    STOWAGE_ASSIGN_OR_RETURN(result.real, FloatRange(activation));
    return result;
  }
  STOWAGE_ASSIGN_OR_RETURN(result.scale, ScaleAndZeroOf(output));
  STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput quantized,
                           QuantizedOutputOf(output, activation));
  result.quantized = quantized.range;
  if (result.quantized.min < result.quantized.max) return result;
  return Refuse("the activation leaves the value ", result.quantized.min,
                " as the only one; expected a range");
}

absl::Status CheckSameScale(const Tensor& a, const Tensor& b) {
  const Quantization& x = a.quantization;
  const Quantization& y = b.quantization;
  if (x.scales == y.scales && x.zero_points == y.zero_points) {
    return absl::OkStatus();
  }
  return Refuse("its input has scale ", x.scale(), " and zero point ",
                x.zero_point(), ", its output ", y.scale(), " and ",
                y.zero_point(), "; expected equal ones");
}

std::vector<size_t> Sizes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

Rows::Rows(const Tensor& tensor) {
  if (tensor.rank() > 0) channels = Size(tensor.dim(-1));
  count = Size(tensor.elements()) / channels;
}

ConstantFloats::ConstantFloats(const Tensor* tensor) {
  if (tensor == nullptr) return;
  if (tensor->type != ElementType::kFloat16) {
    data_ = tensor->as<float>();
    return;
  }
  for (const Half half : tensor->span<Half>()) {
    converted_.push_back(FloatOfHalf(half));
  }
  data_ = converted_.data();
}

}  // namespace stowage::harness::xnnpack
