// SPDX-License-Identifier: Apache-2.0
// Formats a single record as JSON, as problem files do. Use it for documents in
// which records are only a part; to format a whole problem file, use
// FormatProblemJson (problem_file.h).
#ifndef STOWAGE_IO_RECORD_JSON_H_
#define STOWAGE_IO_RECORD_JSON_H_

#include <cstddef>
#include <string>

#include "stowage/io/problem_file.h"

namespace stowage {

// Returns a JSON object with the record at index `record` and, if the file has
// a plan, the place of the record. Unknown facts have no keys. If the problem
// has a partial or free order, the object has the users of the record instead
// of its interval. Requires a problem file that FormatProblemJson can format,
// and an index below the number of records.
std::string FormatRecordJson(const ProblemFile& file, size_t record);

}  // namespace stowage

#endif  // STOWAGE_IO_RECORD_JSON_H_
