// SPDX-License-Identifier: Apache-2.0
// ParseTraceCsv for text that is read in pieces.
#ifndef STOWAGE_SRC_IO_PARSE_CSV_H_
#define STOWAGE_SRC_IO_PARSE_CSV_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/byte_source.h"
#include "stowage/trace.h"

namespace stowage {

// Errors: those of ParseTraceCsv and of the source.
absl::StatusOr<Trace> ParseTraceCsv(ByteSource* csv, absl::string_view name,
                                    const TraceOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_PARSE_CSV_H_
