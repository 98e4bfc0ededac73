// SPDX-License-Identifier: Apache-2.0
#include "src/report/random_inputs.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/tensor.h"

namespace stowage::report {
namespace {

using harness::Tensor;

// Fills with what `element` makes of each number.
template <typename T, typename Next, typename Element>
absl::Status FillWith(Tensor* tensor, Next next, Element element) {
  T* data = tensor->as<T>();
  for (size_t i = 0; i < tensor->bytes / sizeof(T); ++i) {
    data[i] = static_cast<T>(element(next()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RandomInputs::Fill(Tensor* tensor) {
  const auto next = [this] { return random_.Next(); };
  const auto small = [](uint64_t x) { return (x >> 32) % 10; };
  switch (tensor->type) {
    case ElementType::kFloat32:
      return FillWith<float>(tensor, next, [](uint64_t x) {
        return static_cast<float>(x >> 40) * 0x1p-23F - 1.0F;
      });
    case ElementType::kInt8:
      return FillWith<int8_t>(tensor, next, [](uint64_t x) { return x >> 56; });
    case ElementType::kUint8:
      return FillWith<uint8_t>(tensor, next,
                               [](uint64_t x) { return x >> 56; });
    case ElementType::kInt16:
      return FillWith<int16_t>(tensor, next,
                               [](uint64_t x) { return x >> 48; });
    case ElementType::kInt32:
      return FillWith<int32_t>(tensor, next, small);
    case ElementType::kInt64:
      return FillWith<int64_t>(tensor, next, small);
    case ElementType::kBool:
      return FillWith<bool>(tensor, next,
                            [](uint64_t x) { return (x >> 63) != 0; });
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "input \"", tensor->name, "\" is ", ElementTypeName(tensor->type),
          ": expected FLOAT32, INT8, UINT8, INT16, INT32, INT64 or BOOL to "
          "draw it from a seed"));
  }
}

}  // namespace stowage::report
