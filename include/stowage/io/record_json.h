// SPDX-License-Identifier: Apache-2.0
// Formats one record as JSON, in the form of problem files. Use it for
// documents that have records among other things; FormatProblemJson
// (problem_file.h) formats whole problem files.
#ifndef STOWAGE_IO_RECORD_JSON_H_
#define STOWAGE_IO_RECORD_JSON_H_

#include <cstddef>
#include <string>

#include "stowage/io/problem_file.h"

namespace stowage {

// Returns a JSON object with the record of this index and, if the file has a
// plan, the place of the record. Keys of unknown facts are left out. With a
// partial or free order, the object has the users of the record instead of its
// interval. Requires a problem file that FormatProblemJson can format, and an
// index below the number of records.
std::string FormatRecordJson(const ProblemFile& file, size_t record);

}  // namespace stowage

#endif  // STOWAGE_IO_RECORD_JSON_H_
