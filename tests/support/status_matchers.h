// SPDX-License-Identifier: Apache-2.0
// Defines matchers for absl::Status and absl::StatusOr that show the actual
// status.
//
//   EXPECT_THAT(ParseProblemCsv("x", "a.csv"),
//               FailsWith(absl::StatusCode::kInvalidArgument,
//                         "a.csv:1: ..."));
//   ASSERT_THAT(ParseProblemCsv("", "a.csv"), IsOk());
#ifndef STOWAGE_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define STOWAGE_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"

namespace stowage::support {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << "which is " << StatusOf(arg);
  return StatusOf(arg).ok();
}

// Matches an error with the given code. `message` is the whole message or a
// matcher.
MATCHER_P2(FailsWith, code, message, "") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "which is " << status;
  return status.code() == code &&
         ::testing::Value(std::string(status.message()), message);
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_STATUS_MATCHERS_H_
