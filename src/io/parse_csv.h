// SPDX-License-Identifier: Apache-2.0
// Parses the text of a CSV file, reading it piece by piece. For a text in
// memory use ParseProblemCsv (problem_file.h).
#ifndef STOWAGE_SRC_IO_PARSE_CSV_H_
#define STOWAGE_SRC_IO_PARSE_CSV_H_

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"
#include "stowage/io/problem_file.h"

namespace stowage {

// Parses the text of `csv`, like the ParseProblemCsv of problem_file.h. Errors:
// those of that function and of the source.
StatusOr<ProblemFile> ParseProblemCsv(ByteSource* csv, string_view name,
                                      const CsvOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_PARSE_CSV_H_
