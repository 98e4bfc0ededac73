// SPDX-License-Identifier: Apache-2.0
// Creates the errors that name the invalid records of a problem. The errors
// also carry these records as payloads (error_payload.h).
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

// Returns an InvalidArgument error with the message "<records>: <what is
// wrong>; expected <what>". The argument `what` is the part of the message that
// follows "<records>: ".
inline Status InvalidRecords(Span<const size_t> records, string_view what) {
  return WithRecords(
      InvalidArgumentError(StrCat(ListRecords(records), ": ", what)), records);
}

inline Status OutOfRangeRecord(size_t record, string_view what) {
  return WithRecords(OutOfRangeError(StrCat("record ", record, ": ", what)),
                     {record});
}

// Returns the error for a record if its offset, plus the sum of the sizes of
// all records above it, exceeds 2^64 - 1. `place` names the kind of the offset
// and ends with a space.
inline Status SumAboveOverflows(size_t record, string_view place,
                                size_t offset) {
  return OutOfRangeRecord(
      record, StrCat(place, offset,
                     " and the sum of the sizes above it exceed 2^64 - 1; "
                     "expected a sum below 2^64"));
}

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_RECORD_ERRORS_H_
