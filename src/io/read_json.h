// SPDX-License-Identifier: Apache-2.0
// Reads problem files in pieces, and tells problem files from traces.
#ifndef STOWAGE_SRC_IO_READ_JSON_H_
#define STOWAGE_SRC_IO_READ_JSON_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/byte_source.h"
#include "stowage/io/problem_file.h"

namespace stowage::problem_file {

// Parses the text of `json` as ParseProblemJson does. Errors: those of
// ParseProblemJson and of the source.
absl::StatusOr<ProblemFile> ReadJson(ByteSource* json, absl::string_view name,
                                     size_t max_bytes = kMaxProblemBytes);

// Returns whether the first kProblemStartBytes bytes of a file, or all bytes of
// a shorter file, are those of a problem file: a JSON object.
constexpr size_t kProblemStartBytes = 256;
bool IsProblem(absl::string_view start);

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_READ_JSON_H_
