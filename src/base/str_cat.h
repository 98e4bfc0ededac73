// SPDX-License-Identifier: Apache-2.0
// Joins texts and numbers. A build with abseil (config.h) uses the functions of
// abseil. Other builds use the functions of this file, which return the same
// texts.
#ifndef STOWAGE_SRC_BASE_STR_CAT_H_
#define STOWAGE_SRC_BASE_STR_CAT_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage {

using absl::Hex;
using absl::kZeroPad16;
using absl::kZeroPad2;
using absl::StrAppend;
using absl::StrCat;
using absl::StrJoin;

}  // namespace stowage

#else

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "stowage/base/abi_tag.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

// The minimum number of digits that a Hex prints.
enum PadSpec : uint8_t { kNoPad = 1, kZeroPad2 = 2, kZeroPad16 = 16 };

// A number that is printed with hexadecimal digits in lower case.
struct Hex {
  explicit Hex(uint64_t number, PadSpec padding = kNoPad)
      : value(number), pad(padding) {}

  uint64_t value;
  PadSpec pad;
};

// An argument of StrCat: a text, an integer, an enumerator of an unscoped
// enumeration, or a Hex. Characters and floating-point numbers do not compile,
// since StrCat would not print them as its caller expects.
class StrCatPiece {
 public:
  StrCatPiece(const char* text) : text_(text) {}         // NOLINT
  StrCatPiece(string_view text) : text_(text) {}         // NOLINT
  StrCatPiece(const std::string& text) : text_(text) {}  // NOLINT
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, char>>>
  StrCatPiece(T number) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_signed_v<T>) {
      WriteSigned(number);
    } else {
      Write(number);
    }
  }
  // Accepts enumerators of C, which convert to integers.
  template <typename T, std::enable_if_t<std::is_enum_v<T> &&
                                             std::is_convertible_v<T, uint64_t>,
                                         int> = 0>
  StrCatPiece(T value)  // NOLINT(google-explicit-constructor)
      : StrCatPiece(static_cast<std::underlying_type_t<T>>(value)) {}
  StrCatPiece(Hex hex);  // NOLINT(google-explicit-constructor)
  StrCatPiece(const StrCatPiece&) = delete;
  StrCatPiece& operator=(const StrCatPiece&) = delete;

  string_view text() const { return text_; }

 private:
  // Not inline: nearly every call of StrCat passes numbers, and each call would
  // otherwise contain a copy of this code.
  void Write(uint64_t number);
  void WriteSigned(int64_t number);

  char* Begin() { return digits_.data(); }
  char* End() { return digits_.data() + digits_.size(); }
  string_view View(const char* end) {
    return string_view(Begin(), static_cast<size_t>(end - Begin()));
  }

  std::array<char, 24> digits_;
  string_view text_;
};

// Returns one text that consists of the pieces, in this order. O(length).
std::string JoinPieces(std::initializer_list<string_view> pieces);

// Appends the pieces to `out` and allocates memory at most once. No piece may
// be a view of `out`. O(length).
void AppendPieces(std::string* out, std::initializer_list<string_view> pieces);

// Returns one text that consists of the arguments, in this order.
template <typename... Args>
std::string StrCat(const Args&... args) {
  return JoinPieces({StrCatPiece(args).text()...});
}

// Appends the arguments to `out`. No argument may be a view of `out`.
template <typename... Args>
void StrAppend(std::string* out, const Args&... args) {
  AppendPieces(out, {StrCatPiece(args).text()...});
}

// Returns the elements as one text, with `separator` between neighboring
// elements. Calls format(&text, element), which must append the element to the
// text. The overload without `format` passes the elements to StrCat.
template <typename Range, typename Format>
std::string StrJoin(const Range& range, string_view separator, Format format) {
  std::string text;
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) StrAppend(&text, separator);
    is_first = false;
    format(&text, element);
  }
  return text;
}
template <typename Range>
std::string StrJoin(const Range& range, string_view separator) {
  return StrJoin(range, separator, [](std::string* out, const auto& element) {
    StrAppend(out, element);
  });
}

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_SRC_BASE_STR_CAT_H_
