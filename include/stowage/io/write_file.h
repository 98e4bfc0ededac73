// SPDX-License-Identifier: Apache-2.0
// Writes files completely or not at all. To read problems from files, use
// problem_file.h; to read any other file, use read_file.h.
//
// These functions do not install signal handlers. A signal that terminates the
// program during a write therefore leaves a temporary file behind, unless a
// handler of the program removes the file:
//
//   void End(int signal) {
//     RemoveTemporaryFile();
//     std::signal(signal, SIG_DFL);
//     std::raise(signal);
//   }
//
// If the size of files is limited (`ulimit -f`), a write beyond the limit
// raises the signal SIGXFSZ, which terminates the program. If the program
// ignores SIGXFSZ, these functions return an error instead.
#ifndef STOWAGE_IO_WRITE_FILE_H_
#define STOWAGE_IO_WRITE_FILE_H_

#include <functional>
#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/write_text.h"

namespace stowage {

// Writes a file completely or not at all: writes the content to a temporary
// file in the same folder, and then renames the temporary file. A file that is
// not regular (a pipe, a device) is written directly; "-" is standard output.
// Error: the first error that the system reports, with the path.
Status WriteFile(const std::string& path, string_view content);

// Like WriteFile, for content that is too large to keep in memory. `produce`
// has to pass the content to `write` piece by piece. Errors: the first error
// that `produce` returns; those of WriteFile. After an error, the file is
// unchanged.
Status WriteFileInPieces(
    const std::string& path,
    const std::function<Status(const WriteText& write)>& produce);

// Removes the temporary file of a write in progress. Must be called by handlers
// that terminate the program after a signal or because memory is exhausted,
// since no destructors run in these cases. A program that continues need not
// call this function. If several files are being written, only the temporary
// file that was created last is removed. Async-signal-safe.
void RemoveTemporaryFile();

}  // namespace stowage

#endif  // STOWAGE_IO_WRITE_FILE_H_
