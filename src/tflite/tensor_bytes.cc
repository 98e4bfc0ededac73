#include "src/tflite/tensor_bytes.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/tflite/model_generated.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// Bits of an element; 0 for what has no fixed size, nothing for no type.
absl::optional<size_t> ElementBits(tflite::TensorType type) {
  using tflite::TensorType;
  switch (type) {
    case TensorType::STRING:
    case TensorType::RESOURCE:
    case TensorType::VARIANT:
      return 0;
    case TensorType::INT2:
      return 2;
    case TensorType::INT4:
    case TensorType::UINT4:
      return 4;
    case TensorType::UINT8:
    case TensorType::BOOL:
    case TensorType::INT8:
    case TensorType::FLOAT8_E4M3FN:
    case TensorType::FLOAT8_E5M2:
      return 8;
    case TensorType::FLOAT16:
    case TensorType::INT16:
    case TensorType::UINT16:
    case TensorType::BFLOAT16:
      return 16;
    case TensorType::FLOAT32:
    case TensorType::INT32:
    case TensorType::UINT32:
      return 32;
    case TensorType::INT64:
    case TensorType::COMPLEX64:
    case TensorType::FLOAT64:
    case TensorType::UINT64:
      return 64;
    case TensorType::COMPLEX128:
      return 128;
  }
  return absl::nullopt;  // the file may hold any number
}

absl::Status TooLarge() {
  return absl::InvalidArgumentError("its size passes 2^64 - 1 bytes");
}

// The product of the dimensions. A 0 counts wherever it is: no product is too
// large with it.
absl::StatusOr<size_t> Elements(const tflite::Tensor& tensor) {
  if (tensor.shape() == nullptr) return 1;
  const auto& shape = *tensor.shape();
  absl::optional<size_t> product = 1;
  bool is_empty = false;
  for (flatbuffers::uoffset_t i = 0; i < shape.size(); ++i) {
    const int32_t dimension = shape.Get(i);
    if (dimension < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimension ", i, " is ", dimension, ": expected 0 or more"));
    }
    is_empty = is_empty || dimension == 0;
    if (product) {
      product = CheckedMultiply(*product, static_cast<size_t>(dimension));
    }
  }
  if (is_empty) return 0;
  if (!product) return TooLarge();
  return *product;
}

}  // namespace

absl::StatusOr<size_t> TensorBytes(const tflite::Tensor& tensor) {
  const absl::optional<size_t> bits = ElementBits(tensor.type());
  if (!bits) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown type ", static_cast<int>(tensor.type())));
  }
  const absl::StatusOr<size_t> elements = Elements(tensor);
  if (!elements.ok()) return elements.status();
  if (*bits == 0) return 0;
  if (*bits < 8) {
    const size_t per_byte = 8 / *bits;
    return *elements / per_byte + (*elements % per_byte == 0 ? 0 : 1);
  }
  const absl::optional<size_t> bytes = CheckedMultiply(*elements, *bits / 8);
  if (!bytes) return TooLarge();
  return *bytes;
}

}  // namespace stowage
