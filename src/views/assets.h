// SPDX-License-Identifier: Apache-2.0
// The files of src/views/web as the library carries them: embed.cmake makes the
// source that defines these.
#ifndef STOWAGE_SRC_VIEWS_ASSETS_H_
#define STOWAGE_SRC_VIEWS_ASSETS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::views {

struct Asset {
  absl::string_view text;
  absl::string_view sha256;  // of the text: 32 bytes
};

Asset PageScript();     // page*.js, one after the other
Asset PageStyle();      // page.css
Asset PageBody();       // page.html
Asset CompareScript();  // compare.js
Asset CompareStyle();   // page.css and compare.css
Asset CompareBody();    // compare.html

// The element of a page's head that lets nothing be loaded, sent, framed or run
// but what is given.
std::string ContentPolicy(const Asset& script, const Asset& style);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_ASSETS_H_
