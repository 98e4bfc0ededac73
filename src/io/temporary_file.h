// SPDX-License-Identifier: Apache-2.0
// Cleans up for a program that ends while it writes a file. A program that
// continues does not need it.
#ifndef STOWAGE_SRC_IO_TEMPORARY_FILE_H_
#define STOWAGE_SRC_IO_TEMPORARY_FILE_H_

namespace stowage {

// Removes the temporary file that WriteFileInPieces is about to
// rename. A handler that ends the program must call it, for example a handler
// for exhausted memory, since no destructor runs then. If several files are
// being written, removes the one that was begun last. Async-signal-safe.
void RemoveTemporaryFile();

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_TEMPORARY_FILE_H_
