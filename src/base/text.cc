// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

constexpr size_t kMaxQuoted = 60;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Returns the length in bytes of the UTF-8 character at the start of `text`, or
// 0 if `text` does not start with a valid one. The range of the second byte
// rules out overlong encodings, surrogates and code points that are too large
// (Unicode 15, table 3-7).
size_t CharacterLength(string_view text) {
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

// Returns the length in bytes of the control character at the start of `text`,
// or 0 if `text` starts with any other character.
size_t ControlLength(string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;  // U+061C
  if (byte(0) != 0xE2) return 0;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);
  // U+2028 and U+2029 separate lines. U+202A to U+202E embed text or override
  // its direction.
  const bool is_embedding =
      byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return is_mark || is_embedding || is_isolate ? 3 : 0;
}

// Returns the length of the first character of `text` if a file cannot contain
// it unchanged: the length of a control character, or 1 for a byte that is not
// valid UTF-8. Returns 0 for any other character. Sets `length` to the result
// of CharacterLength.
size_t UnheldLength(string_view text, size_t* length) {
  *length = CharacterLength(text);
  if (*length == 0) return 1;
  const auto first = static_cast<unsigned char>(text[0]);
  const bool is_c1 =
      first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  return first < 0x20 || first == 0x7F || is_c1 ? *length : 0;
}

// Skips ASCII characters at the start of `text`, eight bytes at a time. This is
// worthwhile because nearly all characters of every file are ASCII.
void SkipAscii(string_view* text) {
  while (text->size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, text->data(), sizeof(word));
    if ((word & 0x8080808080808080) != 0) return;
    text->remove_prefix(sizeof(word));
  }
}

Hex HexOf(char c) { return Hex(static_cast<unsigned char>(c), kZeroPad2); }

// Returns `text` in the form of a C string literal, without the quotes. A line
// end, tab, quote or backslash becomes a backslash followed by a letter or by
// the character itself. Any other byte that is not a printable ASCII character
// becomes a backslash and three octal digits, except that bytes above ASCII are
// left unchanged if `has_utf8` is true.
std::string Escaped(string_view text, bool has_utf8) {
  constexpr string_view kSpecial = "\n\r\t\"'\\";
  constexpr string_view kLetters = "nrt\"'\\";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const size_t special = kSpecial.find(c);
    if (special != string_view::npos) {
      escaped += '\\';
      escaped += kLetters[special];
    } else if ((byte >= 0x20 && byte < 0x7F) || (byte >= 0x80 && has_utf8)) {
      escaped += c;
    } else {
      escaped += '\\';
      for (const int shift : {6, 3, 0}) {
        escaped += static_cast<char>('0' + (byte >> shift) % 8);
      }
    }
  }
  return escaped;
}

}  // namespace

bool IsUtf8(string_view text) {
  SkipAscii(&text);
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
    SkipAscii(&text);
  }
  return true;
}

std::string OneLine(string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t length = ControlLength(text);
    for (const char c : text.substr(0, length)) {
      StrAppend(&line, "\\x", HexOf(c));
    }
    if (length == 0) line += text.front();
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return line;
}

std::string FileText(string_view text) {
  std::string held;
  held.reserve(text.size());
  while (!text.empty()) {
    size_t length = 0;
    const size_t unheld = UnheldLength(text, &length);
    for (const char c : text.substr(0, unheld)) {
      StrAppend(&held, "\\x", HexOf(c));
    }
    if (unheld == 0) StrAppend(&held, text.substr(0, length));
    text.remove_prefix(std::max(unheld, length));
  }
  return held;
}

bool IsFileText(string_view text) {
  while (!text.empty()) {
    size_t length = 0;
    if (UnheldLength(text, &length) > 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string Quoted(string_view text) {
  size_t size = text.size();
  if (size > kMaxQuoted) {
    size = kMaxQuoted;
    while (size > 0 && IsContinuation(text[size])) --size;
  }
  const string_view shown = text.substr(0, size);
  return StrCat("\"", OneLine(Escaped(shown, IsUtf8(shown))),
                size < text.size() ? "...\"" : "\"");
}

string_view FirstBytes(string_view text, size_t max) {
  if (text.size() <= max) return text;
  while (max > 0 && IsContinuation(text[max])) --max;
  return text.substr(0, max);
}

std::string Grouped(size_t number) {
  std::string text = StrCat(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace stowage
