// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/element_type.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

constexpr int64_t kMaxElements = std::numeric_limits<int64_t>::max();

struct ElementTypeRow {
  const char* name;
  size_t bits;  // the bits of an element, or 0 if the size is not fixed
};

// All types, in the order of their numbers. This is the only list of the types.
constexpr ElementTypeRow kElementTypes[] = {
    {"FLOAT32", 32},      {"FLOAT16", 16},    {"INT32", 32},
    {"UINT8", 8},         {"INT64", 64},      {"STRING", 0},
    {"BOOL", 8},          {"INT16", 16},      {"COMPLEX64", 64},
    {"INT8", 8},          {"FLOAT64", 64},    {"COMPLEX128", 128},
    {"UINT64", 64},       {"RESOURCE", 0},    {"VARIANT", 0},
    {"UINT32", 32},       {"UINT16", 16},     {"INT4", 4},
    {"BFLOAT16", 16},     {"INT2", 2},        {"UINT4", 4},
    {"FLOAT8_E4M3FN", 8}, {"FLOAT8_E5M2", 8},
};

absl::Status TooLarge(const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("a shape of ", ShapeText(shape),
                   "; expected fewer than 2^63 elements and 2^64 bytes"));
}

}  // namespace

bool IsElementType(ElementType type) {
  const auto number = static_cast<int>(type);
  return number >= 0 && number < static_cast<int>(std::size(kElementTypes));
}

std::string ElementTypeName(ElementType type) {
  if (!IsElementType(type)) {
    return absl::StrCat("type ", static_cast<int>(type));
  }
  return kElementTypes[static_cast<size_t>(type)].name;
}

size_t ElementBits(ElementType type) {
  return IsElementType(type) ? kElementTypes[static_cast<size_t>(type)].bits
                             : 0;
}

size_t ElementBytes(ElementType type) { return ElementBits(type) / 8; }

std::string ShapeText(const Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::StatusOr<int64_t> ElementCount(const Shape& shape) {
  // Omit dimensions of 0 from the product, so that the other dimensions of an
  // empty tensor have the same limit as those of any other tensor.
  bool is_empty = false;
  int64_t count = 1;
  for (const int32_t d : shape) {
    if (d < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("a shape of ", ShapeText(shape),
                       "; expected dimensions of 0 or more"));
    }
    is_empty = is_empty || d == 0;
    if (d == 0) continue;
    if (count > kMaxElements / d) return TooLarge(shape);
    count *= d;
  }
  return is_empty ? 0 : count;
}

absl::StatusOr<size_t> TensorBytes(ElementType type, const Shape& shape) {
  const absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok()) return count.status();
  const auto elements = static_cast<size_t>(*count);
  const size_t bits = ElementBits(type);
  if (bits == 0) return 0;
  if (bits < 8) {
    const size_t per_byte = 8 / bits;
    return elements / per_byte + (elements % per_byte == 0 ? 0 : 1);
  }
  const absl::optional<size_t> bytes = CheckedMultiply(elements, bits / 8);
  if (!bytes) return TooLarge(shape);
  return *bytes;
}

}  // namespace stowage
