// SPDX-License-Identifier: Apache-2.0
// Prepares text from any source, such as names in models, for files and
// messages. For pictures and terminals, use views/plain_text.h.
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

// Returns whether `text` is valid UTF-8: each character has its shortest form,
// is not a surrogate, and is not above U+10FFFF.
bool IsUtf8(string_view text);

// Returns `text` with an escape for every character that could end a line of
// output, control a terminal or change the order of the displayed characters.
// These are C0 and C1 controls, line and paragraph separators, and
// bidirectional controls.
std::string OneLine(string_view text);

// Returns `text` in the form that is written to files: each byte that is not
// UTF-8, and each byte of a control character (C0, DEL, C1), is replaced by
// \xNN.
std::string FileText(string_view text);

// Returns whether `text` can be written to files unchanged, which means that
// FileText(text) == text.
bool IsFileText(string_view text);

// Returns the first `max` bytes of `text`, or fewer if the cut would otherwise
// be within a character of UTF-8. Returns the whole text if it is not longer.
string_view FirstBytes(string_view text, size_t max);

// Returns `text` in double quotes, escaped as in OneLine and cut to a length
// that suits a message.
std::string Quoted(string_view text);

// Returns the number with thousands separators: "191,102,976".
std::string Grouped(size_t number);

}  // namespace stowage

#endif  // STOWAGE_BASE_TEXT_H_
