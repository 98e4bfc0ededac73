// SPDX-License-Identifier: Apache-2.0
// Reads problem files piece by piece, and distinguishes problem files from
// traces.
#ifndef STOWAGE_SRC_IO_READ_JSON_H_
#define STOWAGE_SRC_IO_READ_JSON_H_

#include <cstddef>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"
#include "stowage/io/problem_file.h"

namespace stowage::problem_file {

// Parses the text of `json`, like ParseProblemJson. Errors: those of
// ParseProblemJson and of the source.
StatusOr<ProblemFile> ReadJson(ByteSource* json, string_view name,
                               size_t max_bytes = kMaxProblemBytes);

// IsProblem returns whether a file is a problem file, which is a JSON object.
// Requires that `start` contains the first kProblemStartBytes bytes of the
// file, or the whole file if it is shorter.
constexpr size_t kProblemStartBytes = 256;
bool IsProblem(string_view start);

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_READ_JSON_H_
