// SPDX-License-Identifier: Apache-2.0
// Converts between Status and absl::Status, for programs that use abseil and
// link a build of this library without abseil (config.h). In a build with
// abseil, Status is absl::Status, and the functions return their argument.
//
// The functions preserve the code, the message, and every payload that
// error_payload.h and ViolationOf (verify.h) read. Payloads of other libraries
// are preserved as text.
#ifndef STOWAGE_BASE_ABSL_STATUS_H_
#define STOWAGE_BASE_ABSL_STATUS_H_

#include "absl/status/status.h"
#include "stowage/base/config.h"
#include "stowage/base/status.h"

#if !STOWAGE_WITH_ABSEIL
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL

inline absl::Status ToAbslStatus(const Status& status) { return status; }
inline Status FromAbslStatus(const absl::Status& status) { return status; }

#else

// Convert a status. Payloads with text are kept unchanged. In the absl::Status,
// a payload without text is written as its numbers in decimal, separated by
// commas, as in a build with abseil. O(length).
inline absl::Status ToAbslStatus(const Status& status) {
  absl::Status result(
      static_cast<absl::StatusCode>(status.code()),
      absl::string_view(status.message().data(), status.message().size()));
  for (const StatusPayload& payload : status.payloads()) {
    result.SetPayload(
        payload.name,
        absl::Cord(payload.text.empty() ? absl::StrJoin(payload.numbers, ",")
                                        : payload.text));
  }
  return result;
}
inline Status FromAbslStatus(const absl::Status& status) {
  Status result(static_cast<StatusCode>(status.code()),
                std::string(status.message()));
  status.ForEachPayload([&](absl::string_view name, const absl::Cord& content) {
    StatusPayload payload;
    payload.name = std::string(name);
    payload.text = std::string(content);
    for (const absl::string_view part : absl::StrSplit(payload.text, ',')) {
      uint64_t number = 0;
      if (!absl::SimpleAtoi(part, &number)) {
        payload.numbers.clear();
        break;
      }
      payload.numbers.push_back(number);
    }
    result.SetPayload(std::move(payload));
  });
  return result;
}

#endif

}  // namespace stowage

#endif  // STOWAGE_BASE_ABSL_STATUS_H_
