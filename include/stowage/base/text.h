// SPDX-License-Identifier: Apache-2.0
// Prepares text of any origin, such as names in models, for files and messages.
// For pictures and terminals, use views/plain_text.h.
//
//   std::cerr << OneLine(status.message()) << "\n";  // one line, always
//
// All functions are O(bytes).
#ifndef STOWAGE_BASE_TEXT_H_
#define STOWAGE_BASE_TEXT_H_

#include <cstddef>
#include <string>

#include "stowage/base/string_view.h"

namespace stowage {

// Returns whether `text` is UTF-8. Each character must have its shortest form,
// must not be a surrogate, and must not be above U+10FFFF.
bool IsUtf8(string_view text);

// Returns `text` and escapes every character that could end a line of output,
// control a terminal or reorder what is shown: C0 and C1 controls, line and
// paragraph separators, and bidirectional controls.
std::string OneLine(string_view text);

// Returns `text` in the form in which files hold it: each byte that is not
// UTF-8, and each byte of a control character (C0, DEL, C1), is written as
// \xNN.
std::string FileText(string_view text);

// Returns whether a file can hold `text` as it is, so that FileText does not
// change it.
bool IsFileText(string_view text);

// Returns `text` in double quotes, escaped as by OneLine and cut to a length
// that fits a message.
std::string Quoted(string_view text);

// Returns the number with thousands separators: "191,102,976".
std::string Grouped(size_t number);

}  // namespace stowage

#endif  // STOWAGE_BASE_TEXT_H_
