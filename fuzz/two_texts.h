// SPDX-License-Identifier: Apache-2.0
// Splits one file into two texts, for fuzzers of functions that read two texts.
#ifndef STOWAGE_FUZZ_TWO_TEXTS_H_
#define STOWAGE_FUZZ_TWO_TEXTS_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace stowage {

struct TwoTexts {
  absl::string_view first;
  absl::string_view second;  // empty if there is none
};

// Splits before the first line that begins with '{', other than the very first
// line. The first text then consists of lines of any kind, and the second text
// begins like a JSON document.
inline TwoTexts SplitBeforeBrace(absl::string_view text) {
  const size_t end = text.find("\n{");
  if (end == absl::string_view::npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 1)};
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_TWO_TEXTS_H_
