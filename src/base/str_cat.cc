// SPDX-License-Identifier: Apache-2.0
#include "src/base/str_cat.h"

#include "stowage/base/config.h"

#if !STOWAGE_WITH_ABSEIL

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "stowage/base/abi_tag.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

void StrCatPiece::Write(uint64_t number) {
  text_ = View(std::to_chars(Begin(), End(), number).ptr);
}

void StrCatPiece::WriteSigned(int64_t number) {
  text_ = View(std::to_chars(Begin(), End(), number).ptr);
}

StrCatPiece::StrCatPiece(Hex hex) {
  constexpr int kBase = 16;
  const char* const end = std::to_chars(Begin(), End(), hex.value, kBase).ptr;
  const auto count = static_cast<size_t>(end - Begin());
  const size_t zeros = count < hex.pad ? hex.pad - count : 0;
  std::copy_backward(Begin(), Begin() + count, Begin() + count + zeros);
  std::fill_n(Begin(), zeros, '0');
  text_ = View(end + zeros);
}

std::string JoinPieces(std::initializer_list<string_view> pieces) {
  std::string text;
  AppendPieces(&text, pieces);
  return text;
}

void AppendPieces(std::string* out, std::initializer_list<string_view> pieces) {
  size_t length = out->size();
  for (const string_view piece : pieces) length += piece.size();
  // At least doubles the capacity. If each call allocated only the bytes that
  // its own pieces need, each call would copy the whole text.
  if (length > out->capacity()) {
    out->reserve(std::max(length, 2 * out->capacity()));
  }
  for (const string_view piece : pieces) out->append(piece);
}

}  // namespace v1_std
}  // namespace stowage

#endif  // !STOWAGE_WITH_ABSEIL
