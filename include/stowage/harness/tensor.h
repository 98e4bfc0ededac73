// What a tensor is while a model runs: a type, a shape and bytes somewhere.
//
// Tensors are row-major, and multi-byte elements are in the machine's order,
// which is the file's: little-endian. An image is [batch, height, width,
// channels]. Planning knows none of this; see usage_record.h for what it takes.
#ifndef STOWAGE_HARNESS_TENSOR_H_
#define STOWAGE_HARNESS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::harness {

// Types of elements, with the numbers that files give them. Those that no
// operator here computes with are read all the same: models hold them unused.
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
};

// "FLOAT32", "INT8", ...; "type 99" for a number that is none of the above.
std::string ElementTypeName(ElementType type);

// The bytes of one element, or 0 for types whose elements have no whole number
// of bytes of their own: strings, resources, variants, INT4.
size_t ElementBytes(ElementType type);

// The element type of a C++ type: kElementTypeOf<float> is kFloat32.
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

// Elements in each dimension, the slowest first; empty for a scalar.
using Shape = std::vector<int32_t>;

// "[1, 224, 224, 3]".
std::string ShapeText(const Shape& shape);

// The number of elements. Error: InvalidArgument for a negative dimension or
// more than 2^63 - 1 elements, not counting dimensions of 0. O(dimensions).
absl::StatusOr<int64_t> ElementCount(const Shape& shape);

// The bytes of a tensor. INT4 elements are packed by two, and the last byte
// counts whole; types without a fixed size have 0 bytes. Error: that of
// ElementCount; InvalidArgument if the bytes pass 2^63 - 1. O(dimensions).
absl::StatusOr<size_t> TensorBytes(ElementType type, const Shape& shape);

// real = scale * (quantised - zero_point), with one scale for the tensor or one
// for each slice along `dimension`. Both lists are of one length; empty for a
// tensor that is not quantised.
struct Quantization {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  int32_t dimension = 0;

  bool is_quantized() const { return !scales.empty(); }
  // Of a tensor with one scale; 0 where there is none.
  float scale() const { return scales.empty() ? 0.0F : scales[0]; }
  int32_t zero_point() const {
    return zero_points.empty() ? 0 : zero_points[0];
  }
};

// Where the bytes of a tensor are.
enum class Storage {
  kConstant,    // in the model: never written
  kArena,       // in the arena that the plan lays out, while it is alive
  kPersistent,  // in the persistent arena, as long as the interpreter
  kDynamic,     // in memory of its own: its shape is known only while running
  kNone,        // nowhere: it has no bytes, or is a handle to a resource
};

// A tensor of a graph that runs. The interpreter owns it and sees to it that
// `bytes` is what type and shape take, and that `data` points to that many
// bytes, aligned to 16 at least, whenever an operator that reads or writes the
// tensor is invoked.
struct Tensor {
  std::string name;
  ElementType type = ElementType::kFloat32;
  Shape shape;
  Quantization quantization;
  Storage storage = Storage::kNone;
  bool is_variable = false;
  size_t bytes = 0;
  void* data = nullptr;
  int32_t resource = -1;  // the number of the resource that kResource refers to

  bool is_constant() const { return storage == Storage::kConstant; }
  int rank() const { return static_cast<int>(shape.size()); }
  // Elements in dimension `i`; negative dimensions count from the last.
  int32_t dim(int i) const {
    return shape[static_cast<size_t>(i < 0 ? i + rank() : i)];
  }
  int64_t elements() const {
    int64_t count = 1;
    for (const int32_t d : shape) count *= d;
    return count;
  }

  // The elements. T must be the C++ type of `type`.
  template <typename T>
  T* as() {
    return static_cast<T*>(data);
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  absl::Span<const T> span() const {
    return {as<T>(), bytes / sizeof(T)};
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_TENSOR_H_
