// SPDX-License-Identifier: Apache-2.0
// Declares the files of src/views/web, which the library carries as text. The
// build generates the source that defines these functions with embed.cmake.
#ifndef STOWAGE_SRC_VIEWS_ASSETS_H_
#define STOWAGE_SRC_VIEWS_ASSETS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::views {

struct Asset {
  absl::string_view text;
  absl::string_view sha256;  // SHA-256 of the text: 32 bytes
};

Asset PageScript();     // page*.js, concatenated
Asset PageStyle();      // page.css
Asset PageBody();       // page.html
Asset CompareScript();  // compare.js
Asset CompareStyle();   // page.css and compare.css
Asset CompareBody();    // compare.html

// Returns the Content-Security-Policy element for the head of a page. It allows
// only the given script and style; the page cannot load, send, frame or run
// anything else.
std::string ContentPolicy(const Asset& script, const Asset& style);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_ASSETS_H_
