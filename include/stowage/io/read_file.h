// SPDX-License-Identifier: Apache-2.0
// Reads a whole file into a string. To read a large file piece by piece or to
// map it into memory, use input_file.h; to write a file, use write_file.h.
#ifndef STOWAGE_IO_READ_FILE_H_
#define STOWAGE_IO_READ_FILE_H_

#include <cstddef>
#include <limits>
#include <string>

#include "stowage/base/statusor.h"

namespace stowage {

// Returns the content of a file, or of standard input if the path is "-". Reads
// at most `max_bytes` + 1 bytes. Errors, with the path in the message:
// OutOfRange if the file has more than `max_bytes` bytes; those that the system
// reports.
StatusOr<std::string> ReadFile(
    const std::string& path,
    size_t max_bytes = std::numeric_limits<size_t>::max());

}  // namespace stowage

#endif  // STOWAGE_IO_READ_FILE_H_
