// SPDX-License-Identifier: Apache-2.0
// Text of any origin, fit for a page: for the names of a report's head. Names
// of tensors are data of the page and are made visible where they are shown.
#ifndef STOWAGE_SRC_VIEWS_WEB_TEXT_H_
#define STOWAGE_SRC_VIEWS_WEB_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::views {

// The text with whatever is not seen, or changes the order of what is (control
// characters, marks of direction, zero-width characters), as \u202e, and bytes
// that are not UTF-8 as \xff. The result is UTF-8. O(n).
std::string VisibleText(absl::string_view text);

// The text with & < > " ' as character references. O(n).
std::string EscapeHtml(absl::string_view text);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_WEB_TEXT_H_
