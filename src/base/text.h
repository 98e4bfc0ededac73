// SPDX-License-Identifier: Apache-2.0
// Text as it appears in files and messages.
#ifndef STOWAGE_SRC_BASE_TEXT_H_
#define STOWAGE_SRC_BASE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage {

// Returns whether `text` is UTF-8: shortest forms only, no surrogates, none
// above U+10FFFF.
bool IsUtf8(absl::string_view text);

// `text` with every character escaped that could end a line of output, command
// a terminal or reorder what is shown: C0 and C1 controls, line and paragraph
// separators, bidirectional controls.
std::string OneLine(absl::string_view text);

// `text` as a file holds it: each byte that is not UTF-8, and each byte of a
// control character (C0, DEL, C1), as \xNN.
std::string FileText(absl::string_view text);

// Returns whether a file can hold `text` as it is: FileText changes nothing.
bool IsFileText(absl::string_view text);

// `text` in double quotes, escaped as by OneLine and cut to what a message can
// hold.
std::string Quoted(absl::string_view text);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_TEXT_H_
