// SPDX-License-Identifier: Apache-2.0
// Encodes columns of numbers as text that can be embedded in a page: writes
// each number as an integer of variable length, compresses the bytes with zlib,
// and encodes the compressed bytes in base64. For whole pages, see page.h.
#ifndef STOWAGE_SRC_VIEWS_COLUMNS_H_
#define STOWAGE_SRC_VIEWS_COLUMNS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::views {

enum class ColumnCoding {
  kPlain,  // each value is encoded as it is
  // Encodes each value as its difference from the previous value, modulo 2^64,
  // in zig-zag coding: the differences 0, -1, 1, -2, ... become 0, 1, 2, 3,
  // .... The previous value of the first value is 0.
  kDelta,
};

// Encodes each value in groups of seven bits, the lowest group first. The
// eighth bit is set in every group of a value except its last. O(n).
std::string EncodeColumn(absl::Span<const size_t> values, ColumnCoding coding);

// Compresses the bytes with zlib and encodes the result in base64. Different
// versions of zlib may produce different text.
std::string PackBlock(absl::string_view bytes);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_COLUMNS_H_
