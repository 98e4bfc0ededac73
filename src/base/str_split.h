// SPDX-License-Identifier: Apache-2.0
// Splits texts. A build with abseil (config.h) uses the functions of abseil;
// other builds use the functions of this file. The parts are views of the text.
//
//   const std::vector<string_view> words =
//       StrSplit(line, ByAnyChar(" \t"), SkipEmpty());
#ifndef STOWAGE_SRC_BASE_STR_SPLIT_H_
#define STOWAGE_SRC_BASE_STR_SPLIT_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/strings/str_split.h"

namespace stowage {

using absl::ByAnyChar;
using absl::SkipEmpty;
using absl::SkipWhitespace;
using absl::StrSplit;

}  // namespace stowage

#else

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "stowage/base/abi_tag.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

// A set of delimiters: the text is split at each of these characters.
struct ByAnyChar {
  explicit ByAnyChar(string_view characters) : any(characters) {}

  std::string any;
};

// Filters for the parts: SkipEmpty keeps the parts that are not empty, and
// SkipWhitespace keeps the parts that contain a character other than
// whitespace.
struct SkipEmpty {
  bool operator()(string_view part) const { return !part.empty(); }
};
struct SkipWhitespace {
  bool operator()(string_view part) const {
    return !StripAsciiWhitespace(part).empty();
  }
};

// Splits `text` at delimiters. Returns, in order, the parts for which
// keep(part) holds. A text without a delimiter is one part, even if it is
// empty. O(length) for a constant number of delimiters.
template <typename Keep>
std::vector<string_view> StrSplit(string_view text, const ByAnyChar& delimiters,
                                  Keep keep) {
  std::vector<string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end =
        std::min(text.find_first_of(delimiters.any, begin), text.size());
    const string_view part = text.substr(begin, end - begin);
    if (keep(part)) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}
template <typename Keep>
std::vector<string_view> StrSplit(string_view text, char delimiter, Keep keep) {
  return StrSplit(text, ByAnyChar(string_view(&delimiter, 1)), keep);
}
template <typename Delimiter>
std::vector<string_view> StrSplit(string_view text,
                                  const Delimiter& delimiter) {
  return StrSplit(text, delimiter, [](string_view /*part*/) { return true; });
}

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_SRC_BASE_STR_SPLIT_H_
