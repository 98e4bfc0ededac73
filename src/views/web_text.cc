// SPDX-License-Identifier: Apache-2.0
#include "src/views/web_text.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace stowage::views {
namespace {

// The first character of a text and its length in bytes. The length is 0 if the
// text does not begin with a valid UTF-8 character.
struct WebCharacter {
  uint32_t code = 0;
  size_t bytes = 0;
};

WebCharacter FirstWebCharacter(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  uint32_t code = first & (0xffU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_long = (bytes == 3 && code < 0x800) ||
                       (bytes == 4 && (code < 0x10000 || code > 0x10ffff));
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (is_long || is_surrogate) return {};
  return {code, bytes};
}

bool IsInvisible(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
         code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

}  // namespace

std::string VisibleText(absl::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const WebCharacter c = FirstWebCharacter(text);
    if (c.bytes == 0) {
      absl::StrAppendFormat(&visible, "\\x%02x",
                            static_cast<unsigned char>(text[0]));
    } else if (IsInvisible(c.code)) {
      absl::StrAppendFormat(&visible, "\\u%04x", c.code);
    } else {
      absl::StrAppend(&visible, text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return visible;
}

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

}  // namespace stowage::views
