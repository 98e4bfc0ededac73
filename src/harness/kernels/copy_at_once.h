// SPDX-License-Identifier: Apache-2.0
// Assigns several tensors at once, as a loop does with its variables: each
// tensor gets the value that its source had before any tensor changed.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace stowage::harness {

// A copy of bytes. Both pointers may be null if there are no bytes.
struct ByteCopy {
  uint8_t* destination = nullptr;
  const uint8_t* source = nullptr;
  size_t bytes = 0;
};

// Makes all copies at once. A copy is made when no other copy still reads its
// destination. If each destination is still read, as in a swap, one source is
// first moved to `scratch`, or, if `scratch` is too small, to memory that is
// allocated for it. The order and the use of scratch memory are those of
// SequenceCopies (programs/program_problem.h). A copy to the same place is
// skipped. Neither destinations nor scratch memory may overlap each other.
// O(copies^2 + bytes).
void CopyAtOnce(const std::vector<ByteCopy>& copies,
                absl::Span<uint8_t> scratch = {});

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_COPY_AT_ONCE_H_
