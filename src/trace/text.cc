#include "src/trace/text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

constexpr size_t kMaxQuoted = 60;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Length of the character at the start of `text`, or 0 if there is none. The
// second byte's range is what rules out long forms, surrogates and numbers
// that are too large (Unicode 15, table 3-7).
size_t CharacterLength(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return length;
}

// Skips ASCII eight bytes at a time: nearly all of every file.
void SkipAscii(absl::string_view* text) {
  while (text->size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, text->data(), sizeof(word));
    if ((word & 0x8080808080808080) != 0) return;
    text->remove_prefix(sizeof(word));
  }
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  SkipAscii(&text);
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
    SkipAscii(&text);
  }
  return true;
}

std::string Quoted(absl::string_view text) {
  size_t size = text.size();
  if (size > kMaxQuoted) {
    size = kMaxQuoted;
    while (size > 0 && IsContinuation(text[size])) --size;
  }
  const absl::string_view shown = text.substr(0, size);
  return absl::StrCat(
      "\"", IsUtf8(shown) ? absl::Utf8SafeCEscape(shown) : absl::CEscape(shown),
      size < text.size() ? "...\"" : "\"");
}

}  // namespace stowage
