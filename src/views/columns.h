// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as text that a page can carry: variable-length integers,
// compressed with zlib, in base64. For whole pages see page.h.
#ifndef STOWAGE_SRC_VIEWS_COLUMNS_H_
#define STOWAGE_SRC_VIEWS_COLUMNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::views {

enum class ColumnCoding {
  kPlain,  // each value as it is
  kDelta,  // the difference to the value before, modulo 2^64 and zig-zag: 0,
           // -1, 1, -2, ... are 0, 1, 2, 3, ...; the first differs from 0
};

// Little-endian groups of seven bits, the eighth set in all but the last group
// of a value. O(n).
std::string EncodeColumn(absl::Span<const size_t> values, ColumnCoding coding);

// The `count` values of an encoded column. Error: InvalidArgument if the bytes
// are not as many values, or one passes 2^64 - 1.
absl::StatusOr<std::vector<size_t>> DecodeColumn(absl::string_view bytes,
                                                 size_t count,
                                                 ColumnCoding coding);

// The bytes in zlib's format, in base64. Which bytes depends on the version of
// zlib; what UnpackBlock makes of them does not.
std::string PackBlock(absl::string_view bytes);

// The inverse of PackBlock. Error: InvalidArgument.
absl::StatusOr<std::string> UnpackBlock(absl::string_view text);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_COLUMNS_H_
