// SPDX-License-Identifier: Apache-2.0
// Attaches the index of the faulty parameter, limit or place to an error, and
// finds the line in a file that an error is about. For errors about records use
// stowage/error_payload.h.
#ifndef STOWAGE_SRC_DYNAMIC_ERROR_LINE_H_
#define STOWAGE_SRC_DYNAMIC_ERROR_LINE_H_

#include <cstddef>
#include <utility>

#include "src/base/status_payload.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

constexpr string_view kParameterPayload = "stowage/parameter";
constexpr string_view kPlacePayload = "stowage/place";
constexpr string_view kLimitPayload = "stowage/limit";

// Returns `status` with the index of a parameter as its payload.
inline Status WithParameter(Status status, size_t parameter) {
  return WithNumbers(std::move(status), kParameterPayload, {parameter});
}

// Returns `status` with the index of a limit as its payload.
inline Status WithLimit(Status status, size_t limit) {
  return WithNumbers(std::move(status), kLimitPayload, {limit});
}

// Returns `status` with the index of a record as its payload. Requires that the
// error is about the place of this record: its fixed offset, or its distance in
// a group.
inline Status WithPlace(Status status, size_t record) {
  return WithNumbers(std::move(status), kPlacePayload, {record});
}

// Returns an error of DynamicProblem::Create with "NAME:LINE: " in front of its
// message. LINE is the line in `json`, the text of the problem, of the size,
// place, parameter or limit that the error is about. Any other error gets the
// prefix "NAME: ". O(json).
Status AtLine(string_view json, string_view name, const Status& status);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_ERROR_LINE_H_
