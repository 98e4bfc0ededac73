// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/executorch_tensor.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "recordings_schema/executorch_generated.h"
#include "stowage/base/statusor.h"

namespace stowage::recordings {
namespace {

struct ExecutorchType {
  const char* name;
  size_t bytes;  // the bytes of an element
};

// All element types, in the order of their numbers (source:
// schema/scalar_type.fbs of ExecuTorch; for the types that ExecuTorch reserves,
// c10/core/ScalarType.h of PyTorch). An element of a type with 4 or 2 bits is a
// byte that packs several numbers, so its size is one byte.
constexpr ExecutorchType kExecutorchTypes[] = {
    {"uint8", 1},       {"int8", 1},         {"int16", 2},
    {"int32", 4},       {"int64", 8},        {"float16", 2},
    {"float32", 4},     {"float64", 8},      {"complex32", 4},
    {"complex64", 8},   {"complex128", 16},  {"bool", 1},
    {"qint8", 1},       {"quint8", 1},       {"qint32", 4},
    {"bfloat16", 2},    {"quint4x2", 1},     {"quint2x4", 1},
    {"bits1x8", 1},     {"bits2x4", 1},      {"bits4x2", 1},
    {"bits8", 1},       {"bits16", 2},       {"float8_e5m2", 1},
    {"float8_e4m3", 1}, {"float8_e5m2z", 1}, {"float8_e4m3z", 1},
    {"uint16", 2},      {"uint32", 4},       {"uint64", 8},
};

// The maximum number of dimensions that the runtime accepts (source:
// runtime/core/exec_aten/util/tensor_dimension_limit.h of ExecuTorch).
constexpr size_t kMaxExecutorchDims = 16;

// Sets the type, the shape and the size of a tensor.
absl::Status Measure(const executorch::Tensor& tensor,
                     ExecutorchTensor* result) {
  // The cast converts negative type numbers to numbers that are not types.
  const auto type = static_cast<uint8_t>(tensor.scalar_type());
  if (type >= std::size(kExecutorchTypes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("has elements of type ", type,
                     ", whose size is not known; expected at most ",
                     std::size(kExecutorchTypes) - 1));
  }
  const ExecutorchType& row = kExecutorchTypes[type];
  const size_t dims = tensor.sizes() == nullptr ? 0 : tensor.sizes()->size();
  if (dims > kMaxExecutorchDims) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", dims, " dimensions; expected at most ", kMaxExecutorchDims));
  }
  result->info.type = row.name;
  result->bytes = row.bytes;
  bool is_empty = false;
  for (size_t i = 0; i < dims; ++i) {
    const int32_t extent = tensor.sizes()->Get(static_cast<uint32_t>(i));
    absl::StrAppend(&result->info.shape, i == 0 ? "" : "x", extent);
    if (extent < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "has an extent of ", extent, "; expected no negative number"));
    }
    is_empty |= extent == 0;
  }
  for (size_t i = 0; i < dims && !is_empty; ++i) {
    const auto extent =
        static_cast<size_t>(tensor.sizes()->Get(static_cast<uint32_t>(i)));
    if (result->bytes > std::numeric_limits<size_t>::max() / extent) {
      return absl::InvalidArgumentError(
          absl::StrCat("has the shape ", result->info.shape, " of ", row.name,
                       "; expected fewer than 2^64 bytes"));
    }
    result->bytes *= extent;
  }
  if (is_empty) result->bytes = 0;
  return absl::OkStatus();
}

}  // namespace

StatusOr<ExecutorchTensor> ReadExecutorchTensor(
    size_t value, const executorch::Tensor& tensor) {
  using Dynamism = executorch::TensorShapeDynamism;
  ExecutorchTensor result;
  const executorch::AllocationDetails& place = *tensor.allocation_info();
  result.value = value;
  result.memory_id = place.memory_id();
  result.offset =
      uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low();
  result.has_content = tensor.data_buffer_idx() != 0;
  const Dynamism dynamism = tensor.shape_dynamism();
  if (dynamism != Dynamism::STATIC && dynamism != Dynamism::DYNAMIC_BOUND) {
    return absl::InvalidArgumentError(
        "has a place, but no bound on its size; expected a static shape or one "
        "with a bound");
  }
  result.has_bound = dynamism == Dynamism::DYNAMIC_BOUND;
  const absl::Status measured = Measure(tensor, &result);
  if (!measured.ok()) return measured;
  result.info.name = absl::StrCat("value ", value);
  return result;
}

}  // namespace stowage::recordings
