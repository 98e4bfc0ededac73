// SPDX-License-Identifier: Apache-2.0
// Declares functions that return the files of src/views/web, which are embedded
// in the library as text. The build generates the definitions with embed.cmake.
#ifndef STOWAGE_SRC_VIEWS_ASSETS_H_
#define STOWAGE_SRC_VIEWS_ASSETS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::views {

struct Asset {
  absl::string_view text;
  // The SHA-256 hash of the text, in 32 bytes.
  absl::string_view sha256;
};

Asset PageScript();     // returns page*.js, concatenated
Asset PageStyle();      // returns page.css
Asset PageBody();       // returns page.html
Asset CompareScript();  // returns compare.js
Asset CompareStyle();   // returns page.css and compare.css
Asset CompareBody();    // returns compare.html

// Returns the Content-Security-Policy element for the head of a page. The
// policy allows only the given script and style: a page with this policy cannot
// run other code, load or send data, or embed other pages in frames.
std::string ContentPolicy(const Asset& script, const Asset& style);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_ASSETS_H_
