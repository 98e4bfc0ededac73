// SPDX-License-Identifier: Apache-2.0
// The columns of a trace, for its reader and its writer.
#ifndef STOWAGE_SRC_TRACE_COLUMNS_H_
#define STOWAGE_SRC_TRACE_COLUMNS_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace stowage {

// In the order in which they are written.
enum Column : size_t {
  kId,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kFixed,
  kOffset,
  kObject,
};

constexpr std::array<absl::string_view, 8> kColumnNames = {
    "id", "lower", "upper", "size", "alignment", "fixed", "offset", "object"};

// Those before this one must be there.
constexpr size_t kFirstOptionalColumn = kAlignment;

}  // namespace stowage

#endif  // STOWAGE_SRC_TRACE_COLUMNS_H_
