// SPDX-License-Identifier: Apache-2.0
// Two texts in one file, for fuzzers of what reads two.
#ifndef STOWAGE_FUZZ_TWO_TEXTS_H_
#define STOWAGE_FUZZ_TWO_TEXTS_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace stowage {

struct TwoTexts {
  absl::string_view first;
  absl::string_view second;  // empty if there is none
};

// The second begins at the first line, but for the first of all, that begins
// with '{': a JSON document after lines of anything else.
inline TwoTexts SplitBeforeBrace(absl::string_view text) {
  const size_t end = text.find("\n{");
  if (end == absl::string_view::npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 1)};
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_TWO_TEXTS_H_
