// Text as it appears in files and messages.
#ifndef STOWAGE_SRC_TRACE_TEXT_H_
#define STOWAGE_SRC_TRACE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage {

// Whether `text` is UTF-8: shortest forms only, no surrogates, none above
// U+10FFFF.
bool IsUtf8(absl::string_view text);

// `text` in double quotes, escaped and cut to what a message can bear.
std::string Quoted(absl::string_view text);

}  // namespace stowage

#endif  // STOWAGE_SRC_TRACE_TEXT_H_
