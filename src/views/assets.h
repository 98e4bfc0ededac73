// SPDX-License-Identifier: Apache-2.0
// The files of src/views/web as the library carries them: embed.cmake makes the
// source that defines these.
#ifndef STOWAGE_SRC_VIEWS_ASSETS_H_
#define STOWAGE_SRC_VIEWS_ASSETS_H_

#include "absl/strings/string_view.h"

namespace stowage::views {

struct Asset {
  absl::string_view text;
  absl::string_view sha256;  // of the text: 32 bytes
};

Asset PageScript();  // page*.js, one after the other
Asset PageStyle();   // page.css
Asset PageBody();    // page.html

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_ASSETS_H_
