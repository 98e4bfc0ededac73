// SPDX-License-Identifier: Apache-2.0
// Adds lists of numbers and texts to errors as payloads, and reads them back.
// The functions work for both types of Status (stowage/base/status.h). To read
// payloads, users of the library call the functions of error_payload.h and
// verify.h instead.
#ifndef STOWAGE_SRC_BASE_STATUS_PAYLOAD_H_
#define STOWAGE_SRC_BASE_STATUS_PAYLOAD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// Returns `status` with `numbers` added as the payload `name`. In a build with
// abseil, the payload consists of decimal numbers separated by commas, so that
// people can read a dump of the status.
Status WithNumbers(Status status, string_view name, Span<const size_t> numbers);

// Returns the numbers of the payload `name`, or an empty list if the status has
// no such payload.
std::vector<size_t> NumbersOf(const Status& status, string_view name);

// Returns `status` with `text` added as the payload `name`.
Status WithText(Status status, string_view name, string_view text);

// Returns the text of the payload `name`, or an empty text if the status has no
// such payload.
std::string TextOf(const Status& status, string_view name);

// Returns an error that has this code and message, and all payloads of
// `status`.
Status WithPayloadsOf(const Status& status, StatusCode code,
                      string_view message);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_STATUS_PAYLOAD_H_
