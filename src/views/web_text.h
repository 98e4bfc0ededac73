// SPDX-License-Identifier: Apache-2.0
// Makes text of any origin, such as the names in the head of a report, safe to
// embed in a page. Not needed for the names of tensors: they are part of the
// data of the page, and the script of the page makes their characters visible.
#ifndef STOWAGE_SRC_VIEWS_WEB_TEXT_H_
#define STOWAGE_SRC_VIEWS_WEB_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::views {

// Returns the text as UTF-8 in which every character is visible. Control
// characters, direction marks, zero-width characters and similar ones become
// escapes such as \u202e, and bytes that are not valid UTF-8 become escapes
// such as \xff. O(n).
std::string VisibleText(absl::string_view text);

// Returns the text with & < > " ' as character references. O(n).
std::string EscapeHtml(absl::string_view text);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_WEB_TEXT_H_
