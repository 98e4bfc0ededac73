// SPDX-License-Identifier: Apache-2.0
// Rounds up the sizes of records as requested by
// RecordingOptions::tensor_alignment.
#ifndef STOWAGE_SRC_RECORDINGS_ROUNDED_SIZE_H_
#define STOWAGE_SRC_RECORDINGS_ROUNDED_SIZE_H_

#include <cstddef>

#include "stowage/tensor_size.h"

namespace stowage::recordings {

// Returns the size rounded up to a multiple of the alignment, which must be a
// power of two. If the multiple does not fit in 64 bits, returns the size
// unchanged, which ReadRecording then rejects.
inline size_t RoundedSize(size_t size, size_t alignment) {
  return CheckedAlignUp(size, alignment).value_or(size);
}

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ROUNDED_SIZE_H_
