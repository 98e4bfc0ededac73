#include "stowage/tflite/element_type.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

absl::Status TooLarge(const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("a shape of ", ShapeText(shape),
                   ": expected fewer than 2^63 elements and bytes"));
}

}  // namespace

std::string ElementTypeName(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "FLOAT32";
    case ElementType::kFloat16:
      return "FLOAT16";
    case ElementType::kInt32:
      return "INT32";
    case ElementType::kUint8:
      return "UINT8";
    case ElementType::kInt64:
      return "INT64";
    case ElementType::kString:
      return "STRING";
    case ElementType::kBool:
      return "BOOL";
    case ElementType::kInt16:
      return "INT16";
    case ElementType::kComplex64:
      return "COMPLEX64";
    case ElementType::kInt8:
      return "INT8";
    case ElementType::kFloat64:
      return "FLOAT64";
    case ElementType::kComplex128:
      return "COMPLEX128";
    case ElementType::kUint64:
      return "UINT64";
    case ElementType::kResource:
      return "RESOURCE";
    case ElementType::kVariant:
      return "VARIANT";
    case ElementType::kUint32:
      return "UINT32";
    case ElementType::kUint16:
      return "UINT16";
    case ElementType::kInt4:
      return "INT4";
  }
  return absl::StrCat("type ", static_cast<int>(type));
}

size_t ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
    case ElementType::kInt8:
    case ElementType::kBool:
      return 1;
    case ElementType::kFloat16:
    case ElementType::kInt16:
    case ElementType::kUint16:
      return 2;
    case ElementType::kFloat32:
    case ElementType::kInt32:
    case ElementType::kUint32:
      return 4;
    case ElementType::kFloat64:
    case ElementType::kInt64:
    case ElementType::kUint64:
    case ElementType::kComplex64:
      return 8;
    case ElementType::kComplex128:
      return 16;
    default:
      return 0;
  }
}

std::string ShapeText(const Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::StatusOr<int64_t> ElementCount(const Shape& shape) {
  // The product of some dimensions is taken without the others, so that an
  // empty tensor may have no larger ones than another.
  bool is_empty = false;
  int64_t count = 1;
  for (const int32_t d : shape) {
    if (d < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("a shape of ", ShapeText(shape),
                       ": expected dimensions of 0 or more"));
    }
    is_empty = is_empty || d == 0;
    if (d == 0) continue;
    if (count > kMax / d) return TooLarge(shape);
    count *= d;
  }
  return is_empty ? 0 : count;
}

absl::StatusOr<size_t> TensorBytes(ElementType type, const Shape& shape) {
  const absl::StatusOr<int64_t> count = ElementCount(shape);
  if (!count.ok()) return count.status();
  if (type == ElementType::kInt4) {
    return static_cast<size_t>(*count / 2 + *count % 2);
  }
  const auto element = static_cast<int64_t>(ElementBytes(type));
  if (element > 0 && *count > kMax / element) return TooLarge(shape);
  return static_cast<size_t>(*count * element);
}

}  // namespace stowage
