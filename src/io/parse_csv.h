// SPDX-License-Identifier: Apache-2.0
// Parses a trace whose text is read in pieces. For a text in memory use
// ParseTraceCsv (trace.h).
#ifndef STOWAGE_SRC_IO_PARSE_CSV_H_
#define STOWAGE_SRC_IO_PARSE_CSV_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/byte_source.h"
#include "stowage/trace.h"

namespace stowage {

// Parses the text of `csv` as ParseTraceCsv does. Errors: those of
// ParseTraceCsv and of the source.
absl::StatusOr<Trace> ParseTraceCsv(ByteSource* csv, absl::string_view name,
                                    const TraceOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_PARSE_CSV_H_
