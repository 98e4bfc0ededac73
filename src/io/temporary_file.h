// SPDX-License-Identifier: Apache-2.0
// What is left to do for a program that ends while it writes a file. A program
// that goes on needs nothing of this.
#ifndef STOWAGE_SRC_IO_TEMPORARY_FILE_H_
#define STOWAGE_SRC_IO_TEMPORARY_FILE_H_

namespace stowage {

// Removes the file that WriteFileInPieces (trace.h) is about to put in the
// place of another: for a handler that ends the program, as one for memory that
// has run out, since no destructor runs then. Of several at a time the one that
// was begun last. Async-signal-safe.
void RemoveTemporaryFile();

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_TEMPORARY_FILE_H_
