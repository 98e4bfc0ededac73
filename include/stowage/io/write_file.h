// SPDX-License-Identifier: Apache-2.0
// Writes files completely or not at all. To read problems from files use
// problem_file.h.
#ifndef STOWAGE_IO_WRITE_FILE_H_
#define STOWAGE_IO_WRITE_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "stowage/write_text.h"

namespace stowage {

// Writes a file completely or not at all: to a temporary name beside it, which
// is then renamed. A file that is not regular (a pipe, a device) is written
// directly; "-" is standard output. SIGINT, SIGTERM and SIGHUP are blocked in
// this thread meanwhile, so that no temporary file remains. Error: the first
// that the system reports, with the path.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Does the same for content that is too large to keep in memory: `produce`
// passes it to `write` piece by piece. Errors: the first of `produce`;
// Cancelled once SIGINT, SIGTERM or SIGHUP is pending. After an error the file
// is as it was.
absl::Status WriteFileInPieces(
    const std::string& path,
    const std::function<absl::Status(const WriteText& write)>& produce);

}  // namespace stowage

#endif  // STOWAGE_IO_WRITE_FILE_H_
