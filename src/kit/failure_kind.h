// SPDX-License-Identifier: Apache-2.0
// Determines whether two failures of a property are of the same kind. Shrinking
// uses this to avoid changing to a different failure.
#ifndef STOWAGE_SRC_KIT_FAILURE_KIND_H_
#define STOWAGE_SRC_KIT_FAILURE_KIND_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/string_view.h"

namespace stowage::testing {

// Returns the message of a failure without its numbers. Each word that contains
// a digit, such as 7, 0x7ffe, t12 or 50ms, becomes "#". A series of such words
// that are separated only by punctuation becomes a single "#", because lists of
// numbers may differ in length.
inline std::string FailureKind(string_view message) {
  const auto is_of_word = [](char c) {
    return ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string kind;
  std::string between;  // the characters since the last word
  bool is_after_number = false;
  while (!message.empty()) {
    const auto* const end =
        std::find_if_not(message.begin(), message.end(), is_of_word);
    const string_view word =
        message.substr(0, static_cast<size_t>(end - message.begin()));
    if (word.empty()) {
      between += message.front();
      message.remove_prefix(1);
      continue;
    }
    const bool is_number = std::any_of(word.begin(), word.end(), ascii_isdigit);
    if (!is_number || !is_after_number) {
      StrAppend(&kind, between, is_number ? "#" : word);
    }
    between.clear();
    is_after_number = is_number;
    message.remove_prefix(word.size());
  }
  return kind + between;
}

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_FAILURE_KIND_H_
