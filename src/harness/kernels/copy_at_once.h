// SPDX-License-Identifier: Apache-2.0
// Assigns several tensors at once, like the variables of a loop: each tensor
// gets the value that its source had before any of the tensors changed.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace stowage::harness {

// A copy of bytes. Both pointers may be null if `bytes` is 0.
struct ByteCopy {
  uint8_t* destination = nullptr;
  const uint8_t* source = nullptr;
  size_t bytes = 0;
};

// Performs all copies as if at once. A copy is performed as soon as no other
// copy still reads its destination. If every destination is still read by
// another copy, as in a swap, one source is first moved to `scratch`, or to
// allocated memory if `scratch` is too small. The order and the use of scratch
// memory are the same as in SequenceCopies (programs/program_problem.h). Copies
// with the same source and destination are skipped. Requires that destinations
// overlap neither each other nor `scratch`. O(copies^2 + bytes).
void CopyAtOnce(const std::vector<ByteCopy>& copies,
                absl::Span<uint8_t> scratch = {});

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_
