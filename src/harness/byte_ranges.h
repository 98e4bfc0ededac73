// SPDX-License-Identifier: Apache-2.0
// Sets of bytes, as ranges that ascend and do not touch.
#ifndef STOWAGE_SRC_HARNESS_BYTE_RANGES_H_
#define STOWAGE_SRC_HARNESS_BYTE_RANGES_H_

#include <cstddef>
#include <vector>

#include "stowage/harness/checks.h"

namespace stowage::harness {

// The bytes of all `ranges`, which may be in any order and overlap; none
// beyond `size`. O(n log n).
std::vector<ByteRange> UnionOf(std::vector<ByteRange> ranges, size_t size);

// The bytes of `from` that `taken` does not have; both are sets. O(n).
std::vector<ByteRange> Without(const std::vector<ByteRange>& from,
                               const std::vector<ByteRange>& taken);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BYTE_RANGES_H_
