// SPDX-License-Identifier: Apache-2.0
// Makes errors that name records and carry them (error_payload.h), for the
// checks of problems.
#ifndef STOWAGE_SRC_MODEL_RECORD_ERRORS_H_
#define STOWAGE_SRC_MODEL_RECORD_ERRORS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/error_payload.h"

namespace stowage {

// Returns "record 3", "records 3 and 5" or "records 1, 3 and 5".
inline std::string ListRecords(absl::Span<const size_t> records) {
  if (records.size() == 1) return absl::StrCat("record ", records[0]);
  return absl::StrCat("records ",
                      absl::StrJoin(records.first(records.size() - 1), ", "),
                      " and ", records.back());
}

// Returns the error "<records>: <what is wrong>; expected <what>"; the argument
// `what` is everything after the records.
inline absl::Status InvalidRecords(absl::Span<const size_t> records,
                                   absl::string_view what) {
  return WithRecords(absl::InvalidArgumentError(
                         absl::StrCat(ListRecords(records), ": ", what)),
                     records);
}

inline absl::Status OutOfRangeRecord(size_t record, absl::string_view what) {
  return WithRecords(
      absl::OutOfRangeError(absl::StrCat("record ", record, ": ", what)),
      {record});
}

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_RECORD_ERRORS_H_
