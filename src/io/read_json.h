// SPDX-License-Identifier: Apache-2.0
// ParseProblemFile for text that arrives in pieces, and how to tell what it is.
#ifndef STOWAGE_SRC_IO_READ_JSON_H_
#define STOWAGE_SRC_IO_READ_JSON_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/byte_source.h"
#include "stowage/problem_file.h"
#include "stowage/trace.h"

namespace stowage::problem_file {

// Errors: those of ParseProblemFile and of the source.
absl::StatusOr<ProblemFile> ReadJson(ByteSource* json, absl::string_view name,
                                     size_t max_bytes = kMaxProblemBytes);

// Bytes that tell a problem from a trace, and whether they are of a problem: an
// object in JSON.
constexpr size_t kProblemStartBytes = 256;
bool IsProblem(absl::string_view start);

// The trace of a problem whose order is given. Error: Unimplemented if it is
// free.
absl::StatusOr<Trace> TraceOf(absl::StatusOr<ProblemFile> file,
                              absl::string_view name);

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_READ_JSON_H_
