// SPDX-License-Identifier: Apache-2.0
// Writes files completely or not at all. To read problems from files, use
// problem_file.h; to read any other file, read_file.h.
//
// These functions do not change how the program handles signals. A signal that
// ends the program during a write leaves a temporary file behind. To remove
// this file, the program has to handle the signal:
//
//   void End(int signal) {
//     RemoveTemporaryFile();
//     std::signal(signal, SIG_DFL);
//     std::raise(signal);
//   }
//
// The size of files may be limited (`ulimit -f`). A write beyond the limit
// sends the signal SIGXFSZ, which ends the program. If the program ignores this
// signal, these functions return an error instead.
#ifndef STOWAGE_IO_WRITE_FILE_H_
#define STOWAGE_IO_WRITE_FILE_H_

#include <functional>
#include <string>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/write_text.h"

namespace stowage {

// Writes a file completely or not at all. The content is written to a temporary
// file in the same folder, and this file is then renamed. A file that is not
// regular (a pipe, a device) is written directly; "-" is standard output.
// Returns the first error that the system reports, with the path.
Status WriteFile(const std::string& path, string_view content);

// Does the same as WriteFile, for content that is too large to keep in memory:
// `produce` passes the content to `write` piece by piece. Errors: the first
// error of `produce`; those of WriteFile. After an error, the file is
// unchanged.
Status WriteFileInPieces(
    const std::string& path,
    const std::function<Status(const WriteText& write)>& produce);

// Removes the temporary file that one of these functions is about to rename. A
// handler that ends the program after a signal, or because memory is exhausted,
// has to call this function, since no destructor runs in that case. A program
// that continues need not call this function. If several files are being
// written, only the temporary file that was begun last is removed.
// Async-signal-safe.
void RemoveTemporaryFile();

}  // namespace stowage

#endif  // STOWAGE_IO_WRITE_FILE_H_
