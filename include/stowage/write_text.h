// SPDX-License-Identifier: Apache-2.0
// Defines the type of a function that receives a text piece by piece. Use it
// for texts that are too large to keep in memory, such as the log of a search,
// a certificate or a page.
#ifndef STOWAGE_WRITE_TEXT_H_
#define STOWAGE_WRITE_TEXT_H_

#include <functional>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// Receives the next piece of a text, which may be empty.
using WriteText = std::function<Status(string_view piece)>;

}  // namespace stowage

#endif  // STOWAGE_WRITE_TEXT_H_
