// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/onednn/operation.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/dispatch_type.h"

// Functions of GCC's OpenMP. They are declared here because other compilers do
// not find the header that declares them.
extern "C" {
int omp_get_max_threads(void);  // NOLINT(modernize-redundant-void-arg)
void omp_set_num_threads(int threads);
}

namespace stowage::harness::onednn {
namespace {

using Type = dnnl::memory::data_type;

// Returns weights with their zero point subtracted, since oneDNN accepts only
// INT8 weights without a zero point.
template <typename T>
absl::StatusOr<std::vector<uint8_t>> ShiftedWeights(const Tensor& weights) {
  const int32_t zero = weights.quantization.zero_point();
  std::vector<uint8_t> shifted;
  shifted.reserve(weights.bytes);
  for (const T weight : weights.span<T>()) {
    const int32_t value = int32_t{weight} - zero;
    if (value < -128 || value > 127) {
      return Refuse("weights: ", value,
                    " less the zero point; expected -128 to 127");
    }
    shifted.push_back(static_cast<uint8_t>(value));
  }
  return shifted;
}

std::vector<uint8_t> FloatsOfHalves(const Tensor& halves) {
  std::vector<uint8_t> floats;
  floats.reserve(halves.bytes * 2);
  for (const Half half : halves.span<Half>()) {
    const float value = FloatOfHalf(half);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
    floats.insert(floats.end(), bytes, bytes + sizeof(value));
  }
  return floats;
}

bool HasOneScale(const Tensor& tensor) {
  return tensor.quantization.scales.size() == 1 &&
         tensor.quantization.scale() > 0;
}

}  // namespace

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
}

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

absl::Status Node::CheckData(std::initializer_list<size_t> inputs,
                             bool allows_bytes) const {
  if (spec_.outputs.size() != 1 || spec_.outputs[0] == kAbsent) {
    return Refuse("outputs: ", spec_.outputs.size(), "; expected one");
  }
  std::vector<const Tensor*> tensors = {&output()};
  for (const size_t i : inputs) {
    if (!has_input(i)) return Refuse("input ", i, ": left out; expected one");
    // The inputs of a partition are the FLOAT16 constants themselves. The
    // floats to which the model converts them are not stored anywhere.
    if (graph_.Float16Source(spec_.inputs[i]) != kAbsent) {
      return Refuse("input ", i,
                    ": constants of type FLOAT16; expected FLOAT32");
    }
    tensors.push_back(&input(i));
  }
  const ElementType type = output().type;
  const bool is_bytes =
      type == ElementType::kInt8 || type == ElementType::kUint8;
  for (const Tensor* tensor : tensors) {
    const bool fits = tensor->type == type && tensor->elements() > 0 &&
                      (type == ElementType::kFloat32 ||
                       (allows_bytes && is_bytes && HasOneScale(*tensor)));
    if (!fits) {
      return Refuse(tensor->name, ": ", ElementTypeName(tensor->type), " ",
                    ShapeText(tensor->shape), "; expected elements of FLOAT32",
                    allows_bytes ? ", INT8 or UINT8 with one scale" : "",
                    ", all of one type");
    }
  }
  return absl::OkStatus();
}

const Tensor* Node::FindConstant(size_t i) const {
  if (!has_input(i)) return nullptr;
  if (input(i).is_constant()) return &input(i);
  const size_t source = graph_.Float16Source(spec_.inputs[i]);
  return source == kAbsent ? nullptr : &graph_.tensor(source);
}

absl::StatusOr<Type> Node::ConstantType(size_t i) const {
  const Tensor* const constant = FindConstant(i);
  if (constant == nullptr) {
    return Refuse("input ", i, ": computed; expected a constant");
  }
  switch (constant->type) {
    case ElementType::kFloat32:
    case ElementType::kFloat16:
      return Type::f32;
    case ElementType::kInt8:
    case ElementType::kUint8:
      return Type::s8;
    case ElementType::kInt32:
      return Type::s32;
    default:
      return Refuse("input ", i, ": ", ElementTypeName(constant->type),
                    "; expected FLOAT32, FLOAT16, INT8, UINT8 or INT32");
  }
}

absl::StatusOr<Constant> Node::ReadConstant(
    int argument, size_t i, const dnnl::memory::dims& dims,
    const dnnl::memory::dims& strides, const dnnl::memory::desc& wanted) const {
  STOWAGE_ASSIGN_OR_RETURN(const Type type, ConstantType(i));
  const Tensor& tensor = *FindConstant(i);
  Constant constant;
  constant.argument = argument;
  constant.given = dnnl::memory::desc(dims, type, strides);
  constant.wanted = wanted;
  if (tensor.type == ElementType::kFloat16) {
    constant.converted = FloatsOfHalves(tensor);
  } else if (tensor.type == ElementType::kUint8) {
    STOWAGE_ASSIGN_OR_RETURN(constant.converted,
                             ShiftedWeights<uint8_t>(tensor));
  } else if (tensor.type == ElementType::kInt8 &&
             tensor.quantization.zero_point() != 0) {
    // Kernels reject zero points per channel, so the tensor has a single zero
    // point.
    STOWAGE_ASSIGN_OR_RETURN(constant.converted,
                             ShiftedWeights<int8_t>(tensor));
  } else {
    constant.data = tensor.data;
  }
  return constant;
}

Type TypeOf(const Tensor& tensor) {
  if (tensor.type == ElementType::kInt8) return Type::s8;
  return tensor.type == ElementType::kUint8 ? Type::u8 : Type::f32;
}

dnnl::memory::desc ImageDesc(const Tensor& tensor) {
  return {{tensor.dim(0), tensor.dim(3), tensor.dim(1), tensor.dim(2)},
          TypeOf(tensor),
          dnnl::memory::format_tag::nhwc};
}

dnnl::memory::desc RowsDesc(const Tensor& tensor, int64_t depth) {
  return {{tensor.elements() / depth, depth},
          TypeOf(tensor),
          dnnl::memory::format_tag::ab};
}

bool IsUsable(absl::string_view implementation) {
  return !absl::StartsWith(implementation, "ref") &&
         !absl::StrContains(implementation, "amx");
}

absl::StatusOr<dnnl::primitive_attr> MakeAttributes(
    const Tensor& output, FusedActivation activation) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (activation == FusedActivation::kNone) return attributes;
  dnnl::post_ops after;
  if (output.type == ElementType::kFloat32) {
    STOWAGE_ASSIGN_OR_RETURN(const Range<float> range, FloatRange(activation));
    if (range.max == kNoMax) {
      after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
    } else {
      after.append_eltwise(1.0F, dnnl::algorithm::eltwise_clip, range.min,
                           range.max);
    }
  } else {
    // oneDNN clips a value before it adds the zero point, so the zero point is
    // subtracted from the limits.
    STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput quantized,
                             QuantizedOutputOf(output, activation));
    const int32_t zero = output.quantization.zero_point();
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_clip,
                         static_cast<float>(quantized.range.min - zero),
                         static_cast<float>(quantized.range.max - zero));
  }
  attributes.set_post_ops(after);
  return attributes;
}

}  // namespace stowage::harness::onednn
