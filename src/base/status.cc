// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/status.h"

#include "stowage/base/config.h"

#if !STOWAGE_WITH_ABSEIL

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/status_code_names.h"
#include "stowage/base/abi_tag.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {
inline namespace STOWAGE_STD_ABI v1_std {
namespace {

struct ErrnoCode {
  int error = 0;
  StatusCode code = StatusCode::kUnknown;
};

// Maps the system errors that concern files, memory and threads to the codes
// that abseil maps them to. All other errors become kUnknown.
constexpr ErrnoCode kErrnoCodes[] = {
    {0, StatusCode::kOk},
    {EINVAL, StatusCode::kInvalidArgument},
    {ENAMETOOLONG, StatusCode::kInvalidArgument},
    {E2BIG, StatusCode::kInvalidArgument},
    {EILSEQ, StatusCode::kInvalidArgument},
    {ENOTTY, StatusCode::kInvalidArgument},
    {ESPIPE, StatusCode::kInvalidArgument},
    {ETIMEDOUT, StatusCode::kDeadlineExceeded},
    {ENODEV, StatusCode::kNotFound},
    {ENOENT, StatusCode::kNotFound},
    {ENXIO, StatusCode::kNotFound},
    {EEXIST, StatusCode::kAlreadyExists},
    {EPERM, StatusCode::kPermissionDenied},
    {EACCES, StatusCode::kPermissionDenied},
    {EROFS, StatusCode::kPermissionDenied},
    {ENOTEMPTY, StatusCode::kFailedPrecondition},
    {EISDIR, StatusCode::kFailedPrecondition},
    {ENOTDIR, StatusCode::kFailedPrecondition},
    {EBADF, StatusCode::kFailedPrecondition},
    {EBUSY, StatusCode::kFailedPrecondition},
    {EPIPE, StatusCode::kFailedPrecondition},
    {ETXTBSY, StatusCode::kFailedPrecondition},
    {ENOSPC, StatusCode::kResourceExhausted},
    {EDQUOT, StatusCode::kResourceExhausted},
    {EMFILE, StatusCode::kResourceExhausted},
    {EMLINK, StatusCode::kResourceExhausted},
    {ENFILE, StatusCode::kResourceExhausted},
    {ENOMEM, StatusCode::kResourceExhausted},
    {EFBIG, StatusCode::kOutOfRange},
    {EOVERFLOW, StatusCode::kOutOfRange},
    {ENOSYS, StatusCode::kUnimplemented},
    {ENOTSUP, StatusCode::kUnimplemented},
    {EXDEV, StatusCode::kUnimplemented},
    {EAGAIN, StatusCode::kUnavailable},
    {EINTR, StatusCode::kUnavailable},
    {ENOLCK, StatusCode::kUnavailable},
    {EDEADLK, StatusCode::kAborted},
    {ESTALE, StatusCode::kAborted},
    {ECANCELED, StatusCode::kCancelled},
};

StatusCode CodeOfErrno(int error) {
  for (const ErrnoCode& row : kErrnoCodes) {
    if (row.error == error) return row.code;
  }
  return StatusCode::kUnknown;
}

}  // namespace

std::string StatusCodeToString(StatusCode code) {
  const auto index = static_cast<size_t>(code);
  return index < std::size(kStatusCodeNames) ? kStatusCodeNames[index] : "";
}

std::ostream& operator<<(std::ostream& out, StatusCode code) {
  return out << StatusCodeToString(code);
}

Status::Status(StatusCode code, string_view message) {
  if (code == StatusCode::kOk) return;
  error_ = std::make_shared<const Error>(
      Error{code, std::string(message), /*payloads=*/{}});
}

StatusCode Status::code() const {
  return ok() ? StatusCode::kOk : error_->code;
}

string_view Status::message() const {
  return ok() ? string_view() : string_view(error_->message);
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return StatusCodeToString(error_->code) + ": " + error_->message;
}

void Status::SetPayload(StatusPayload payload) {
  if (ok()) return;
  auto error = std::make_shared<Error>(*error_);
  const auto same =
      std::find_if(error->payloads.begin(), error->payloads.end(),
                   [&](const auto& p) { return p.name == payload.name; });
  if (same != error->payloads.end()) {
    *same = std::move(payload);
  } else {
    error->payloads.push_back(std::move(payload));
  }
  error_ = std::move(error);
}

const StatusPayload* Status::GetPayload(string_view name) const {
  if (ok()) return nullptr;
  for (const StatusPayload& payload : error_->payloads) {
    if (payload.name == name) return &payload;
  }
  return nullptr;
}

const std::vector<StatusPayload>& Status::payloads() const {
  static const auto* const kNone = new std::vector<StatusPayload>();
  return ok() ? *kNone : error_->payloads;
}

void Status::CopyPayloads(const Status& other) {
  if (ok()) return;
  auto error = std::make_shared<Error>(*error_);
  error->payloads = other.payloads();
  error_ = std::move(error);
}

bool operator==(const Status& a, const Status& b) {
  const auto is_equal = [](const StatusPayload& x, const StatusPayload& y) {
    return x.name == y.name && x.numbers == y.numbers && x.text == y.text;
  };
  if (a.error_ == b.error_) return true;
  return a.code() == b.code() && !a.ok() && a.message() == b.message() &&
         std::is_permutation(a.payloads().begin(), a.payloads().end(),
                             b.payloads().begin(), b.payloads().end(),
                             is_equal);
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  return out << status.ToString();
}

Status AbortedError(string_view message) {
  return Status(StatusCode::kAborted, message);
}
Status AlreadyExistsError(string_view message) {
  return Status(StatusCode::kAlreadyExists, message);
}
Status CancelledError(string_view message) {
  return Status(StatusCode::kCancelled, message);
}
Status DataLossError(string_view message) {
  return Status(StatusCode::kDataLoss, message);
}
Status FailedPreconditionError(string_view message) {
  return Status(StatusCode::kFailedPrecondition, message);
}
Status InternalError(string_view message) {
  return Status(StatusCode::kInternal, message);
}
Status InvalidArgumentError(string_view message) {
  return Status(StatusCode::kInvalidArgument, message);
}
Status NotFoundError(string_view message) {
  return Status(StatusCode::kNotFound, message);
}
Status OutOfRangeError(string_view message) {
  return Status(StatusCode::kOutOfRange, message);
}
Status PermissionDeniedError(string_view message) {
  return Status(StatusCode::kPermissionDenied, message);
}
Status ResourceExhaustedError(string_view message) {
  return Status(StatusCode::kResourceExhausted, message);
}
Status UnavailableError(string_view message) {
  return Status(StatusCode::kUnavailable, message);
}
Status UnimplementedError(string_view message) {
  return Status(StatusCode::kUnimplemented, message);
}
Status UnknownError(string_view message) {
  return Status(StatusCode::kUnknown, message);
}

bool IsCancelled(const Status& status) {
  return status.code() == StatusCode::kCancelled;
}
bool IsFailedPrecondition(const Status& status) {
  return status.code() == StatusCode::kFailedPrecondition;
}
bool IsInternal(const Status& status) {
  return status.code() == StatusCode::kInternal;
}
bool IsInvalidArgument(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument;
}
bool IsNotFound(const Status& status) {
  return status.code() == StatusCode::kNotFound;
}
bool IsOutOfRange(const Status& status) {
  return status.code() == StatusCode::kOutOfRange;
}
bool IsResourceExhausted(const Status& status) {
  return status.code() == StatusCode::kResourceExhausted;
}
bool IsUnimplemented(const Status& status) {
  return status.code() == StatusCode::kUnimplemented;
}

Status ErrnoToStatus(int error, string_view message) {
  return Status(CodeOfErrno(error), std::string(message) + ": " +
                                        std::generic_category().message(error));
}

namespace internal_statusor {

void EndForMissingValue(const Status& status) {
  std::fprintf(stderr, "a StatusOr without a value was read: %s\n",
               status.ToString().c_str());
  std::abort();
}

Status ErrorOf(Status status) {
  if (!status.ok()) return status;
  return InternalError("a StatusOr was made of an OK status");
}

}  // namespace internal_statusor

}  // namespace v1_std
}  // namespace stowage

#endif  // !STOWAGE_WITH_ABSEIL
