// SPDX-License-Identifier: Apache-2.0
// Defines the types, shapes and quantization of the tensors in a model. For a
// tensor with its bytes, use harness/tensor.h; planning needs only sizes
// (usage_record.h).
#ifndef STOWAGE_TFLITE_ELEMENT_TYPE_H_
#define STOWAGE_TFLITE_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage {

// The element types of the TensorFlow Lite schema, with their numbers in files.
// Tensors of types that no operator of this library supports can still be read
// and planned.
enum class ElementType : int8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUint8 = 3,
  kInt64 = 4,
  kString = 5,
  kBool = 6,
  kInt16 = 7,
  kComplex64 = 8,
  kInt8 = 9,
  kFloat64 = 10,
  kComplex128 = 11,
  kUint64 = 12,
  kResource = 13,
  kVariant = 14,
  kUint32 = 15,
  kUint16 = 16,
  kInt4 = 17,
  kBfloat16 = 18,
  kInt2 = 19,
  kUint4 = 20,
  kFloat8E4m3fn = 21,
  kFloat8E5m2 = 22,
};

// Returns whether `type` is one of the enumerators, which is not certain for a
// number from a file.
bool IsElementType(ElementType type);

// Returns "FLOAT32", "INT8" and so on, or "type 99" for an unknown number.
std::string ElementTypeName(ElementType type);

// Returns the number of bits of one element, or 0 for types without a fixed
// size (strings, resources, variants) and for unknown types.
size_t ElementBits(ElementType type);

// Returns the number of bytes of one element, or 0 if ElementBits is below 8,
// which is the case for INT4, UINT4, INT2 and types without a fixed size.
size_t ElementBytes(ElementType type);

// The element type that corresponds to a C++ type: kElementTypeOf<float> is
// kFloat32.
template <typename T>
inline constexpr ElementType kElementTypeOf = ElementType::kVariant;
template <>
inline constexpr ElementType kElementTypeOf<float> = ElementType::kFloat32;
template <>
inline constexpr ElementType kElementTypeOf<double> = ElementType::kFloat64;
template <>
inline constexpr ElementType kElementTypeOf<int8_t> = ElementType::kInt8;
template <>
inline constexpr ElementType kElementTypeOf<uint8_t> = ElementType::kUint8;
template <>
inline constexpr ElementType kElementTypeOf<int16_t> = ElementType::kInt16;
template <>
inline constexpr ElementType kElementTypeOf<uint16_t> = ElementType::kUint16;
template <>
inline constexpr ElementType kElementTypeOf<int32_t> = ElementType::kInt32;
template <>
inline constexpr ElementType kElementTypeOf<uint32_t> = ElementType::kUint32;
template <>
inline constexpr ElementType kElementTypeOf<int64_t> = ElementType::kInt64;
template <>
inline constexpr ElementType kElementTypeOf<uint64_t> = ElementType::kUint64;
template <>
inline constexpr ElementType kElementTypeOf<bool> = ElementType::kBool;

// The number of elements in each dimension, beginning with the slowest
// dimension. Empty for a scalar.
using Shape = std::vector<int32_t>;

// Returns the shape as text: "[1, 224, 224, 3]".
std::string ShapeText(const Shape& shape);

// Returns the number of elements. Error: InvalidArgument if a dimension is
// negative, or if the product of all nonzero dimensions is 2^63 or more.
// O(dimensions).
absl::StatusOr<int64_t> ElementCount(const Shape& shape);

// Returns the size of a tensor in bytes. Elements smaller than a byte are
// packed, and the total is rounded up to whole bytes. Types without a fixed
// size have 0 bytes. Errors: that of ElementCount; InvalidArgument for more
// than 2^64 - 1 bytes. O(dimensions).
absl::StatusOr<size_t> TensorBytes(ElementType type, const Shape& shape);

// The quantization of a tensor: real = scale * (quantized - zero_point). There
// is one scale for the whole tensor, or one for each slice along `dimension`.
// The lists `scales` and `zero_points` have the same length, and are empty if
// the tensor is not quantized.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t dimension = 0;

  bool is_quantized() const { return !scales.empty(); }
  // Return the scale and the zero point of a tensor with only one scale. Both
  // functions return 0 if the tensor is not quantized.
  float scale() const { return scales.empty() ? 0.0F : scales[0]; }
  int32_t zero_point() const {
    return zero_points.empty() ? 0 : zero_points[0];
  }
};

}  // namespace stowage

#endif  // STOWAGE_TFLITE_ELEMENT_TYPE_H_
