// SPDX-License-Identifier: Apache-2.0
// Defines the types of tensor sizes, and checked arithmetic on sizes.
//
// A size is one of four types. `size_t` counts bytes and works with every
// strategy. `uint2` and `uint3` are the extents of textures in texels. `BHWC`
// is a logical shape in elements. For these three types, a buffer can hold a
// tensor only if the buffer is at least as large as the tensor in every
// component. Few strategies support these three types; when in doubt, use
// bytes.
//
//   optional<size_t> end = CheckedAdd(offset, size);
//   if (!end) return InvalidArgumentError("...");
#ifndef STOWAGE_TENSOR_SIZE_H_
#define STOWAGE_TENSOR_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"

namespace stowage {

static_assert(sizeof(size_t) == 8, "sizes and offsets are 64-bit");

// Width and height of a 2-D texture.
struct uint2 {  // NOLINT(readability-identifier-naming): the field's name
  uint32_t x = 0;
  uint32_t y = 0;

  constexpr uint2() = default;
  constexpr uint2(uint32_t width, uint32_t height) : x(width), y(height) {}
};

// Width, height and depth of a 3-D texture.
struct uint3 {  // NOLINT(readability-identifier-naming): the field's name
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;

  constexpr uint3() = default;
  constexpr uint3(uint32_t width, uint32_t height, uint32_t depth)
      : x(width), y(height), z(depth) {}
};

// Batch, height, width and channels of a tensor. No component may be negative.
struct BHWC {
  int32_t b = 0;
  int32_t h = 0;
  int32_t w = 0;
  int32_t c = 0;

  constexpr BHWC() = default;
  constexpr BHWC(int32_t batch, int32_t height, int32_t width, int32_t channels)
      : b(batch), h(height), w(width), c(channels) {}
};

inline bool operator==(const uint2& a, const uint2& b) {
  return a.x == b.x && a.y == b.y;
}
inline bool operator==(const uint3& a, const uint3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
inline bool operator==(const BHWC& a, const BHWC& b) {
  return a.b == b.b && a.h == b.h && a.w == b.w && a.c == b.c;
}
inline bool operator!=(const uint2& a, const uint2& b) { return !(a == b); }
inline bool operator!=(const uint3& a, const uint3& b) { return !(a == b); }
inline bool operator!=(const BHWC& a, const BHWC& b) { return !(a == b); }

// Hash functions, so that sizes can be keys in Abseil containers.
template <typename H>
H AbslHashValue(H state, const uint2& v) {
  return H::combine(std::move(state), v.x, v.y);
}
template <typename H>
H AbslHashValue(H state, const uint3& v) {
  return H::combine(std::move(state), v.x, v.y, v.z);
}
template <typename H>
H AbslHashValue(H state, const BHWC& v) {
  return H::combine(std::move(state), v.b, v.h, v.w, v.c);
}

// Returns a + b, or nullopt if the sum does not fit in 64 bits.
inline optional<size_t> CheckedAdd(size_t a, size_t b) {
  size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return nullopt;
  return sum;
}

// Returns a * b, or nullopt if the product does not fit in 64 bits.
inline optional<size_t> CheckedMultiply(size_t a, size_t b) {
  size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return nullopt;
  return product;
}

// Returns whether `alignment`, in bytes, is valid: a power of two.
inline bool IsValidAlignment(size_t alignment) {
  return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

// Returns the smallest multiple of `alignment` (a power of two) that is at
// least `value`, or nullopt if that multiple does not fit in 64 bits.
inline optional<size_t> CheckedAlignUp(size_t value, size_t alignment) {
  const optional<size_t> padded = CheckedAdd(value, alignment - 1);
  if (!padded) return nullopt;
  return *padded & ~(alignment - 1);
}

// Returns the smallest multiple of `alignment` (a power of two) that is at
// least `value`. Requires that this multiple fits in 64 bits; this is not
// checked.
inline size_t AlignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// Returns the size as one number: the number of bytes, or the product of the
// components, which is a number of texels or elements. Errors: OutOfRange if
// the product does not fit in 64 bits; InvalidArgument if a component of a BHWC
// is negative.
inline StatusOr<size_t> ElementCount(size_t bytes) { return bytes; }
StatusOr<size_t> ElementCount(const uint2& extent);
StatusOr<size_t> ElementCount(const uint3& extent);
StatusOr<size_t> ElementCount(const BHWC& shape);

// Returns whether an object of size `object` can hold a tensor of size
// `tensor`: no component of `tensor` is larger than the same component of
// `object`.
inline bool Covers(size_t object, size_t tensor) { return object >= tensor; }
bool Covers(const uint2& object, const uint2& tensor);
bool Covers(const uint3& object, const uint3& tensor);
bool Covers(const BHWC& object, const BHWC& tensor);

// Returns "96", "8x4", "8x4x2" or "1x8x4x2", for messages.
std::string SizeToString(size_t bytes);
std::string SizeToString(const uint2& extent);
std::string SizeToString(const uint3& extent);
std::string SizeToString(const BHWC& shape);

// The alignment of each tensor's offset, in bytes: one number for all tensors,
// or one number for each tensor. A list of alignments is not copied and must
// outlive this object.
//
//   Alignments all = 64;
//   const Alignments each(trace.alignments);
class Alignments {
 public:
  Alignments() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is an alignment
  Alignments(size_t all) : all_(all) {}
  // Gives each tensor its own alignment. `each` is in the order of the usage
  // records, and must outlive this object.
  explicit Alignments(Span<const size_t> each) : each_(each), is_list_(true) {}

  size_t Of(size_t tensor) const { return is_list_ ? each_[tensor] : all_; }

  // Checks that every alignment is a power of two and that a list has exactly
  // `tensor_count` entries. Error: InvalidArgument, naming the tensor,
  // otherwise. O(n).
  Status Check(size_t tensor_count) const;

 private:
  size_t all_ = 1;
  Span<const size_t> each_;
  bool is_list_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_TENSOR_SIZE_H_
