// SPDX-License-Identifier: Apache-2.0
// The names of the status codes. A code has the same number in builds with
// abseil, in builds without abseil, and in C.
#ifndef STOWAGE_SRC_BASE_STATUS_CODE_NAMES_H_
#define STOWAGE_SRC_BASE_STATUS_CODE_NAMES_H_

namespace stowage {

// The name of each code; the index of a name is the number of the code.
inline constexpr const char* kStatusCodeNames[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_STATUS_CODE_NAMES_H_
