// SPDX-License-Identifier: Apache-2.0
// Distinguishes the two kinds of heaptrack files. Both kinds begin with the
// same line, but only raw files contain the addresses of blocks.
#ifndef STOWAGE_SRC_RECORDINGS_HEAPTRACK_H_
#define STOWAGE_SRC_RECORDINGS_HEAPTRACK_H_

#include "stowage/base/string_view.h"

namespace stowage::recordings {

enum class HeaptrackKind {
  kNone,         // not a file of heaptrack
  kRaw,          // what `heaptrack --raw` writes
  kInterpreted,  // what `heaptrack` writes: allocations by their call sites
};

// Returns the kind of the file that begins with `start`.
HeaptrackKind HeaptrackKindOf(string_view start);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_HEAPTRACK_H_
