// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/plain_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/base/text.h"

namespace stowage::views {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Interval {
  char32_t first;
  char32_t last;  // the interval includes it
};

// The control characters, and the characters that reorder text. PlainText
// removes all of them.
constexpr Interval kDropped[] = {
    {0x0, 0x1F},      {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};

// Combining marks are drawn over the previous character, so they occupy no
// column. The table covers only the scripts that are likely in names. A mark of
// any other script is counted as one column, although it occupies none.
constexpr Interval kCombining[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},    {0x610, 0x61A},
    {0x64B, 0x65F},   {0x93C, 0x93C},   {0x941, 0x948},    {0x94D, 0x94D},
    {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},    {0x1AB0, 0x1ABD},
    {0x1DC0, 0x1DF5}, {0x20D0, 0x20F0}, {0x302A, 0x302D},  {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

constexpr Interval kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},
    {0x23E9, 0x23F3},   {0x25FD, 0x25FE},   {0x2600, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF},
    {0x1AFF0, 0x1B2FF}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <size_t kSize>
bool IsIn(const Interval (&intervals)[kSize], char32_t c) {
  const auto* const after = std::upper_bound(
      std::begin(intervals), std::end(intervals), c,
      [](char32_t x, const Interval& i) { return x < i.first; });
  return after != std::begin(intervals) && c <= std::prev(after)->last;
}

// Returns the first character of `text` and its length in bytes, or the
// replacement character and a length of one byte if `text` does not begin with
// valid UTF-8. Requires that `text` is not empty.
std::pair<char32_t, size_t> FirstCharacter(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length || !IsUtf8(text.substr(0, length))) {
    return {kReplacement, 1};
  }
  char32_t c = first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    c = (c << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {c, length};
}

size_t WidthOf(char32_t c) {
  if (c < 0x300) return 1;
  if (IsIn(kCombining, c)) return 0;
  return IsIn(kWide, c) ? 2 : 1;
}

// Return the length in bytes of the longest prefix or suffix of `text` that is
// at most `columns` columns wide.
size_t PrefixWithin(absl::string_view text, size_t columns) {
  size_t bytes = 0;
  size_t used = 0;
  while (bytes < text.size()) {
    const auto [c, length] = FirstCharacter(text.substr(bytes));
    used += WidthOf(c);
    if (used > columns) break;
    bytes += length;
  }
  return bytes;
}

size_t SuffixWithin(absl::string_view text, size_t columns) {
  size_t start = text.size();
  size_t kept = start;
  size_t used = 0;
  while (start > 0) {
    do {
      --start;
    } while (start > 0 &&
             (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80);
    const size_t width = WidthOf(FirstCharacter(text.substr(start)).first);
    used += width;
    if (used > columns) break;
    // Cuts off a combining mark together with its character.
    if (width > 0) kept = start;
  }
  return text.size() - kept;
}

}  // namespace

std::string PlainText(absl::string_view text, bool ascii) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto [c, length] = FirstCharacter(text);
    const bool is_replaced = c == kReplacement || (ascii && c >= 0x80);
    if (!IsIn(kDropped, c)) {
      if (is_replaced) {
        plain += ascii ? "?" : "\xEF\xBF\xBD";
      } else {
        plain.append(text.data(), length);
      }
    }
    text.remove_prefix(length);
  }
  return plain;
}

size_t DisplayWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const auto [c, length] = FirstCharacter(text);
    width += WidthOf(c);
    text.remove_prefix(length);
  }
  return width;
}

std::string CutMiddle(absl::string_view text, size_t columns, bool ascii) {
  // No character has more columns than bytes, so the width of a short name need
  // not be computed.
  if (text.size() <= columns || DisplayWidth(text) <= columns) {
    return std::string(text);
  }
  if (columns == 0) return "";
  const size_t tail = (columns - 1) / 2;
  const size_t head = columns - 1 - tail;
  return absl::StrCat(text.substr(0, PrefixWithin(text, head)),
                      ascii ? "~" : "\u2026",
                      text.substr(text.size() - SuffixWithin(text, tail)));
}

std::vector<std::string> WrapWords(absl::string_view text, size_t columns) {
  std::vector<std::string> lines;
  while (PrefixWithin(text, columns) < text.size()) {
    // A line has at least one character, even if that character is wider than
    // the line.
    size_t end =
        std::max(PrefixWithin(text, columns), FirstCharacter(text).second);
    size_t next = end;
    const size_t space = text.rfind(' ', end);
    if (space != absl::string_view::npos && space > 0) {
      end = space;
      next = space + 1;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string PadRight(absl::string_view text, size_t columns) {
  const size_t width = DisplayWidth(text);
  return absl::StrCat(text,
                      std::string(columns > width ? columns - width : 0, ' '));
}

std::string PadLeft(absl::string_view text, size_t columns) {
  const size_t width = DisplayWidth(text);
  return absl::StrCat(std::string(columns > width ? columns - width : 0, ' '),
                      text);
}

std::string ShortSize(size_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB",
                                           "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  int shift = 10;
  size_t unit = 0;
  const auto tenths = [&] {
    const absl::uint128 scaled = absl::uint128(bytes) * 10;
    return static_cast<uint64_t>((scaled + (absl::uint128(1) << (shift - 1))) >>
                                 shift);
  };
  while (tenths() >= 10240 && unit + 1 < std::size(kUnits)) {
    shift += 10;
    ++unit;
  }
  return absl::StrCat(tenths() / 10, ".", tenths() % 10, " ", kUnits[unit]);
}

std::string PercentAbove(size_t total, size_t bound) {
  if (total <= bound || bound == 0) return "";
  const absl::uint128 tenths =
      (absl::uint128(total - bound) * 1000 + bound / 2) / bound;
  if (tenths >= 10000) {
    return absl::StrCat(
        static_cast<uint64_t>((absl::uint128(total) + bound / 2) / bound),
        " times");
  }
  const auto small = static_cast<uint64_t>(tenths);
  return absl::StrCat("+", small / 10, ".", small % 10, " %");
}

}  // namespace stowage::views
