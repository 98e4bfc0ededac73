// SPDX-License-Identifier: Apache-2.0
// Makes the errors with which the checks of problems name records. The errors
// also carry the records as payloads (error_payload.h).
#ifndef STOWAGE_SRC_MODEL_RECORD_ERRORS_H_
#define STOWAGE_SRC_MODEL_RECORD_ERRORS_H_

#include <cstddef>
#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/error_payload.h"

namespace stowage {

// Returns "record 3", "records 3 and 5" or "records 1, 3 and 5".
inline std::string ListRecords(Span<const size_t> records) {
  if (records.size() == 1) return StrCat("record ", records[0]);
  return StrCat("records ", StrJoin(records.first(records.size() - 1), ", "),
                " and ", records.back());
}

// Returns the error "<records>: <what is wrong>; expected <what>"; the argument
// `what` is everything after the records.
inline Status InvalidRecords(Span<const size_t> records, string_view what) {
  return WithRecords(
      InvalidArgumentError(StrCat(ListRecords(records), ": ", what)), records);
}

inline Status OutOfRangeRecord(size_t record, string_view what) {
  return WithRecords(OutOfRangeError(StrCat("record ", record, ": ", what)),
                     {record});
}

// Returns the error for a record whose place leaves no room below 2^64 for all
// sizes above it. `place` is "fixed offset " or the like.
inline Status SumAboveOverflows(size_t record, string_view place,
                                size_t offset) {
  return OutOfRangeRecord(
      record, StrCat(place, offset,
                     " and the sum of the sizes above it exceed 2^64 - 1; "
                     "expected a sum below 2^64"));
}

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_RECORD_ERRORS_H_
