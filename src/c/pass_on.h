// SPDX-License-Identifier: Apache-2.0
// Passes text on to the caller, or to a file that the caller names.
#ifndef STOWAGE_SRC_C_PASS_ON_H_
#define STOWAGE_SRC_C_PASS_ON_H_

#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/c/verify.h"

namespace stowage::c_api {

// Passes text to a function of the caller. Errors: Cancelled if this function
// returns that it should stop; Internal if it throws.
Status PassOn(string_view text, stowage_write_fn write, void* context);

// Returns the path to pass to WriteFile for the file at `path`. For a file
// named "-", returns "./-", since WriteFile takes "-" for standard output.
std::string FileAt(const char* path);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_PASS_ON_H_
