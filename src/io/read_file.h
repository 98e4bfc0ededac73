// SPDX-License-Identifier: Apache-2.0
// Whole files as strings. To read a large file piece by piece, or mapped into
// memory, use input_file.h.
#ifndef STOWAGE_SRC_IO_READ_FILE_H_
#define STOWAGE_SRC_IO_READ_FILE_H_

#include <cstddef>
#include <limits>
#include <string>

#include "absl/status/statusor.h"

namespace stowage {

// The content of a file, or of standard input if the path is "-". Reads one
// byte more than `max_bytes` at most. Errors, with the path: OutOfRange for a
// longer file; what the system reports.
absl::StatusOr<std::string> ReadFile(
    const std::string& path,
    size_t max_bytes = std::numeric_limits<size_t>::max());

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_READ_FILE_H_
