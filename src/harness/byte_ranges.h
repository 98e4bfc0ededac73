// SPDX-License-Identifier: Apache-2.0
// Computes unions and differences of sets of bytes. A set is a sorted list of
// ranges that neither overlap nor touch.
#ifndef STOWAGE_SRC_HARNESS_BYTE_RANGES_H_
#define STOWAGE_SRC_HARNESS_BYTE_RANGES_H_

#include <cstddef>
#include <vector>

#include "stowage/harness/checks.h"

namespace stowage::harness {

// Returns the bytes below `size` that are in any of `ranges`, as a set. The
// ranges may be in any order and may overlap. O(n log n).
std::vector<ByteRange> UnionOf(std::vector<ByteRange> ranges, size_t size);

// Returns the bytes of `from` that are not in `taken`. Requires that both are
// sets as defined above. O(n).
std::vector<ByteRange> Without(const std::vector<ByteRange>& from,
                               const std::vector<ByteRange>& taken);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BYTE_RANGES_H_
