// SPDX-License-Identifier: Apache-2.0
// Formats JSON documents as the command line prints them.
#ifndef STOWAGE_SRC_COMMAND_JSON_H_
#define STOWAGE_SRC_COMMAND_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/time/time.h"

namespace stowage::cli {

// A JSON value that keeps its keys in the order in which they were added.
using Json = nlohmann::ordered_json;

// Returns the document on one line, followed by a line end. Bytes that are not
// valid UTF-8 become U+FFFD, so the document is valid for any path and id.
std::string Dump(const Json& document);

// Returns the time in microseconds with three decimals, and thus exact to the
// nanosecond.
double Micros(absl::Duration time);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_JSON_H_
