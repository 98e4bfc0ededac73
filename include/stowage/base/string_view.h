// SPDX-License-Identifier: Apache-2.0
// A string_view is a view of text that another object owns. The type is
// absl::string_view in a build with abseil (config.h), and std::string_view
// otherwise. To keep text, use std::string. Functions take text as a
// string_view, and return text that they create as a std::string.
//
// In some builds of abseil, absl::string_view is a separate type; in others, it
// is an alias of std::string_view. Code that has to compile with all builds
// should write stowage::string_view for the type, and std::string(view) to copy
// the text.
#ifndef STOWAGE_BASE_STRING_VIEW_H_
#define STOWAGE_BASE_STRING_VIEW_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL
#include "absl/strings/string_view.h"
#else
#include <string_view>
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL
using absl::string_view;
#else
using std::string_view;
#endif

}  // namespace stowage

#endif  // STOWAGE_BASE_STRING_VIEW_H_
