// SPDX-License-Identifier: Apache-2.0
// Passes text to the caller, or writes it to a file that the caller names.
#ifndef STOWAGE_SRC_C_PASS_ON_H_
#define STOWAGE_SRC_C_PASS_ON_H_

#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/c/verify.h"

namespace stowage::c_api {

// Passes text to `write`, a function provided by the caller. Errors: Cancelled
// if this function requests to stop; Internal if it throws.
Status PassOn(string_view text, stowage_write_fn write, void* context);

// Returns the argument with which WriteFile writes the file at `path`. This is
// `path` itself, except that it is "./-" for a file named "-", since WriteFile
// interprets "-" as standard output.
std::string FileAt(const char* path);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_PASS_ON_H_
