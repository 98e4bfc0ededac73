// SPDX-License-Identifier: Apache-2.0
// Calls a kernel with the C++ type of a tensor's elements, which is known only
// at run time. Defines Bool and Half, for element types that C++ lacks. Code
// that only moves elements does not need their type and should use
// Tensor::data.
//
//   using Numbers = TypeList<float, int32_t, int8_t>;
//
//   // In Prepare (kernel_tools.h): refuses all other types.
//   STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Numbers()));
//   // In Invoke:
//   return DispatchType(Numbers(), input.type, [&](auto zero) {
//     using T = decltype(zero);
//     ...
//   });
#ifndef STOWAGE_HARNESS_DISPATCH_TYPE_H_
#define STOWAGE_HARNESS_DISPATCH_TYPE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// An element of BOOL: a byte that is false if it is 0, and true otherwise. The
// bool of C++ cannot be used, because a file may contain any byte, and reading
// a bool from a byte other than 0 and 1 is undefined.
struct Bool {
  uint8_t byte = 0;

  Bool() = default;
  explicit Bool(bool value) : byte(static_cast<uint8_t>(value)) {}
  operator bool() const {  // NOLINT(google-explicit-constructor)
    return byte != 0;
  }
};

// An element of FLOAT16: the bits of an IEEE 754 binary16 number, for which
// C++17 has no type.
struct Half {
  uint16_t bits = 0;
};

// Returns the float with the same value, which exists for every FLOAT16 number.
inline float FloatOfHalf(Half half) {
  const uint32_t sign = (half.bits & 0x8000U) << 16;
  const uint32_t magnitude = half.bits & 0x7FFFU;
  // The bias of the exponent is 127 in a float, and 15 in a FLOAT16 number. Add
  // the difference.
  uint32_t bits = (magnitude << 13) + ((127U - 15U) << 23);
  if (magnitude >= 0x7C00U) bits += (255U - 143U) << 23;  // infinity or NaN
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  // Subnormal numbers, which are below 2^-14, have no implicit leading 1. The
  // value of such a number is `magnitude` times 2^-24.
  if (magnitude < 0x0400U) value = static_cast<float>(magnitude) * 0x1p-24F;
  std::memcpy(&bits, &value, sizeof(bits));
  bits |= sign;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace stowage::harness

namespace stowage {

template <>
inline constexpr ElementType kElementTypeOf<harness::Bool> = ElementType::kBool;
template <>
inline constexpr ElementType kElementTypeOf<harness::Half> =
    ElementType::kFloat16;

}  // namespace stowage

namespace stowage::harness {

// A list of C++ types, one for each element type that an operator supports.
// Converts implicitly to a span of these element types.
template <typename... Ts>
struct TypeList {
  static constexpr ElementType kTypes[] = {kElementTypeOf<Ts>...};

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator absl::Span<const ElementType>() const { return kTypes; }

  static constexpr bool Has(ElementType type) {
    return ((type == kElementTypeOf<Ts>) || ...);
  }
};

using FloatAndQuantizedTypes = TypeList<float, int8_t, uint8_t, int16_t>;
using QuantizedTypes = TypeList<int8_t, uint8_t, int16_t>;
using IndexTypes = TypeList<int32_t, int64_t>;

// Returns InvalidArgument with the message that `type` is not in `expected`.
// `place` is the name of the tensor in the message. If `place` is empty, the
// message names no tensor.
absl::Status RefuseType(absl::string_view place, ElementType type,
                        absl::Span<const ElementType> expected);

// Calls f(T()), where T is the type of the list that corresponds to the element
// type `type`. Returns the result of f, or OK if f returns nothing. Error:
// InvalidArgument, listing all types of the list, if `type` is not in the list.
template <typename... Ts, typename F>
absl::Status DispatchType(TypeList<Ts...> types, ElementType type, F f) {
  absl::Status status;
  const auto call = [&](auto zero) {
    if constexpr (std::is_void_v<decltype(f(zero))>) {
      f(zero);
    } else {
      status = f(zero);
    }
    return true;
  };
  const bool is_listed = ((type == kElementTypeOf<Ts> && call(Ts())) || ...);
  return is_listed ? status : RefuseType("", type, types);
}

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DISPATCH_TYPE_H_
