// SPDX-License-Identifier: Apache-2.0
// Builds the text of logs, for tests that change logs.
#ifndef STOWAGE_TESTS_PROOF_LOG_LINES_H_
#define STOWAGE_TESTS_PROOF_LOG_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace stowage {

using Lines = std::vector<std::string>;

// Returns a log that consists of `steps` and a last line with their checksum.
// Requires that each step ends with a line break.
inline std::string WithChecksum(absl::string_view steps) {
  uint64_t checksum = 0xCBF29CE484222325;
  for (const char c : steps) {
    checksum = (checksum ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  return absl::StrCat(steps, "end ", absl::Hex(checksum, absl::kZeroPad16),
                      "\n");
}

// Returns the text of a log with these steps.
inline std::string TextOf(const Lines& lines) {
  std::string steps;
  for (const std::string& line : lines) absl::StrAppend(&steps, line, "\n");
  return WithChecksum(steps);
}

// Returns the steps of a log. `text` is a log or a certificate that contains a
// log.
inline Lines LinesOfLog(absl::string_view text) {
  const size_t log = text.find("\nlog\n");
  if (log != absl::string_view::npos) text.remove_prefix(log + 5);
  text = text.substr(0, text.rfind("end "));
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROOF_LOG_LINES_H_
