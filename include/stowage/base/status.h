// SPDX-License-Identifier: Apache-2.0
// Errors are values: a function that can fail returns a Status, or a StatusOr
// (statusor.h) if it has a result. No function throws. Status is absl::Status
// in a build with abseil (config.h), and a type of this library with the same
// functions otherwise.
//
//   const Status status = CheckRecords(records);
//   if (!status.ok()) return status;
//   return InvalidArgumentError("record 3: its size is 0; expected 1");
//
// Programs should act on the code of an error and on its payloads
// (error_payload.h), which identify the records, the operator and other things
// that the error concerns. The message is for people, and may change.
#ifndef STOWAGE_BASE_STATUS_H_
#define STOWAGE_BASE_STATUS_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL

#include "absl/status/status.h"

namespace stowage {

using absl::AbortedError;
using absl::AlreadyExistsError;
using absl::CancelledError;
using absl::DataLossError;
using absl::ErrnoToStatus;
using absl::FailedPreconditionError;
using absl::InternalError;
using absl::InvalidArgumentError;
using absl::NotFoundError;
using absl::OkStatus;
using absl::OutOfRangeError;
using absl::PermissionDeniedError;
using absl::ResourceExhaustedError;
using absl::Status;
using absl::StatusCode;
using absl::StatusCodeToString;
using absl::UnavailableError;
using absl::UnimplementedError;
using absl::UnknownError;

using absl::IsCancelled;
using absl::IsFailedPrecondition;
using absl::IsInternal;
using absl::IsInvalidArgument;
using absl::IsNotFound;
using absl::IsOutOfRange;
using absl::IsResourceExhausted;
using absl::IsUnimplemented;

}  // namespace stowage

#else

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "stowage/base/abi_tag.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {

// The kinds of errors. The numbers are those of abseil and gRPC, and never
// change. This library returns only the codes that are commented here.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,  // the caller stopped the call
  kUnknown = 2,
  kInvalidArgument = 3,  // an argument is wrong, whatever the state is
  kDeadlineExceeded = 4,
  kNotFound = 5,            // a file, strategy or column does not exist
  kAlreadyExists = 6,       // a second thing would have the same name
  kPermissionDenied = 7,    // the system refused access to a file
  kResourceExhausted = 8,   // memory, a budget or a capacity is not enough
  kFailedPrecondition = 9,  // the call is right, but not in this state
  kAborted = 10,
  kOutOfRange = 11,     // an index or a sum is too large
  kUnimplemented = 12,  // a strategy lacks a feature that the problem needs
  kInternal = 13,       // a bug of the library
  kUnavailable = 14,    // trying again may help
  kDataLoss = 15,       // a file was not read or written completely
  kUnauthenticated = 16,
};

// Returns the name of a code as in abseil and gRPC, for example
// "INVALID_ARGUMENT". Returns an empty string for a number that is not a code.
std::string StatusCodeToString(StatusCode code);
std::ostream& operator<<(std::ostream& out, StatusCode code);

// Data that an error carries for programs: a name, numbers and a text. The
// functions in error_payload.h add and read payloads.
struct StatusPayload {
  std::string name;
  std::vector<uint64_t> numbers;
  std::string text;
};

// OK, or an error with a code, a message and payloads. Copies of an error share
// their content, so copying does not allocate. An OK status does not allocate
// either.
class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  // There is no move constructor, because a status that has been moved from
  // would be OK.
  Status(const Status&) = default;
  Status& operator=(const Status&) = default;
  // Creates an error. If the code is kOk, ignores the message and creates an OK
  // status.
  Status(StatusCode code, string_view message);

  bool ok() const { return error_ == nullptr; }
  StatusCode code() const;
  // Returns the message, which is valid as long as this status exists. The
  // message of an OK status is empty.
  string_view message() const;

  // Returns "OK", or the name of the code, a colon and the message.
  std::string ToString() const;

  // Adds a payload, or replaces the payload with the same name. Does nothing if
  // the status is OK.
  void SetPayload(StatusPayload payload);
  // Returns the payload with this name, or null. The pointer is valid until the
  // next change of this status.
  const StatusPayload* GetPayload(string_view name) const;
  // Returns all payloads, in the order in which they were first added.
  const std::vector<StatusPayload>& payloads() const;
  // Replaces all payloads by the payloads of `other`. Does nothing if this
  // status is OK.
  void CopyPayloads(const Status& other);

  // Does nothing. Call it to show that an error is ignored on purpose.
  void IgnoreError() const {}

  // Two statuses are equal if they have equal codes, messages and payloads.
  friend bool operator==(const Status& a, const Status& b);

 private:
  struct Error {
    StatusCode code = StatusCode::kUnknown;
    std::string message;
    std::vector<StatusPayload> payloads;
  };

  std::shared_ptr<const Error> error_;  // is null if OK
};

inline bool operator!=(const Status& a, const Status& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const Status& status);

inline Status OkStatus() { return Status(); }

// Each function returns an error with the code in the name of the function.
Status AbortedError(string_view message);
Status AlreadyExistsError(string_view message);
Status CancelledError(string_view message);
Status DataLossError(string_view message);
Status FailedPreconditionError(string_view message);
Status InternalError(string_view message);
Status InvalidArgumentError(string_view message);
Status NotFoundError(string_view message);
Status OutOfRangeError(string_view message);
Status PermissionDeniedError(string_view message);
Status ResourceExhaustedError(string_view message);
Status UnavailableError(string_view message);
Status UnimplementedError(string_view message);
Status UnknownError(string_view message);

// Each function returns whether a status has the code in the name of the
// function.
bool IsCancelled(const Status& status);
bool IsFailedPrecondition(const Status& status);
bool IsInternal(const Status& status);
bool IsInvalidArgument(const Status& status);
bool IsNotFound(const Status& status);
bool IsOutOfRange(const Status& status);
bool IsResourceExhausted(const Status& status);
bool IsUnimplemented(const Status& status);

// Returns the error for a value of errno, or OK for 0. The message of the error
// is "MESSAGE: DESCRIPTION", where DESCRIPTION is the system's description of
// the value.
Status ErrnoToStatus(int error, string_view message);

}  // namespace v1_std
}  // namespace stowage

#endif  // STOWAGE_WITH_ABSEIL

#endif  // STOWAGE_BASE_STATUS_H_
