// SPDX-License-Identifier: Apache-2.0
// Lists of numbers as payloads of errors. Users read the payloads of the
// library by functions of their own (error_payload.h, verify.h).
#ifndef STOWAGE_SRC_MODEL_NUMBER_PAYLOAD_H_
#define STOWAGE_SRC_MODEL_NUMBER_PAYLOAD_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage {

// Returns `status` with a payload of decimal numbers, separated by commas, so
// that people can read a dump of it.
absl::Status WithNumbers(absl::Status status, absl::string_view url,
                         absl::Span<const size_t> numbers);

// Returns the numbers of that payload. Empty if the status has none.
std::vector<size_t> NumbersOf(const absl::Status& status,
                              absl::string_view url);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_NUMBER_PAYLOAD_H_
