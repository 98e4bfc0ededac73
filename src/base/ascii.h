// SPDX-License-Identifier: Apache-2.0
// Provides functions for ASCII text that do not depend on the locale. In a
// build with Abseil (config.h), these functions are those of Abseil; in other
// builds, this file defines them. For text with other characters, use text.h.
#ifndef STOWAGE_SRC_BASE_ASCII_H_
#define STOWAGE_SRC_BASE_ASCII_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace stowage {

using absl::ascii_isalnum;
using absl::ascii_isdigit;
using absl::AsciiStrToLower;
using absl::ConsumePrefix;
using absl::EndsWith;
using absl::SimpleAtoi;
using absl::StartsWith;
using absl::StrContains;
using absl::StripAsciiWhitespace;
using absl::StrReplaceAll;

}  // namespace stowage

#else

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <system_error>
#include <utility>

#include "stowage/base/abi_tag.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

inline bool ascii_isdigit(unsigned char c) { return c >= '0' && c <= '9'; }
inline bool ascii_isalnum(unsigned char c) {
  return ascii_isdigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Returns a copy of the text with its letters in lower case.
inline std::string AsciiStrToLower(string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Returns the text without leading and trailing whitespace: spaces, tabs, line
// ends and page ends.
inline string_view StripAsciiWhitespace(string_view text) {
  constexpr string_view kWhitespace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kWhitespace);
  if (begin == string_view::npos) return string_view();
  return text.substr(begin, text.find_last_not_of(kWhitespace) + 1 - begin);
}

inline bool StartsWith(string_view text, string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool EndsWith(string_view text, string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}
inline bool StrContains(string_view text, string_view part) {
  return text.find(part) != string_view::npos;
}
inline bool StrContains(string_view text, char part) {
  return text.find(part) != string_view::npos;
}

// Removes the prefix from `text` and returns true. If `text` does not begin
// with the prefix, changes nothing and returns false.
inline bool ConsumePrefix(string_view* text, string_view prefix) {
  if (!StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// Returns a copy of `text` in which each occurrence of the first text of a pair
// is replaced by the second text of the pair, from left to right. Requires that
// no first text is empty or a prefix of another first text.
inline std::string StrReplaceAll(
    string_view text,
    std::initializer_list<std::pair<string_view, string_view>> pairs) {
  std::string replaced;
  while (!text.empty()) {
    const auto found = std::find_if(
        pairs.begin(), pairs.end(),
        [&](const auto& pair) { return StartsWith(text, pair.first); });
    if (found == pairs.end()) {
      replaced += text.front();
      text.remove_prefix(1);
    } else {
      replaced += found->second;
      text.remove_prefix(found->first.size());
    }
  }
  return replaced;
}

// Parses a decimal integer, which may have a sign and may be surrounded by
// whitespace. Returns false if the text is anything else, or if the number does
// not fit in T.
template <typename T>
bool SimpleAtoi(string_view text, T* number) {
  text = StripAsciiWhitespace(text);
  if (ConsumePrefix(&text, "+") && StartsWith(text, "-")) return false;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && rest == end;
}

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_SRC_BASE_ASCII_H_
