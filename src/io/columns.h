// SPDX-License-Identifier: Apache-2.0
// The columns of a trace, for its reader and its writer.
#ifndef STOWAGE_SRC_IO_COLUMNS_H_
#define STOWAGE_SRC_IO_COLUMNS_H_

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
  kMin,
  kMax,
  kGroup,
  kAt,
  kPool,
  kOffset,
  kObject,
  kChosenPool,
  // What is known of the tensor.
  kName,
  kType,
  kShape,
  kProducer,
  kConsumers,
  // Of MiniMalloc, and never written.
  kGaps,
  kHint,
};

constexpr std::array<absl::string_view, 21> kColumnNames = {
    "id",   "lower", "upper", "size",     "alignment", "fixed",  "min",
    "max",  "group", "at",    "pool",     "offset",    "object", "chosen_pool",
    "name", "type",  "shape", "producer", "consumers", "gaps",   "hint"};

// What MiniMalloc calls a column that a trace has under another name.
struct ColumnAlias {
  absl::string_view name;
  Column column;
};

// `end` is the last task itself, not the one after it.
constexpr absl::string_view kInclusiveEnd = "end";
constexpr std::array<ColumnAlias, 5> kColumnAliases = {
    {{"buffer_id", kId},
     {"buffer", kId},
     {"start", kLower},
     {"begin", kLower},
     {kInclusiveEnd, kUpper}}};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_COLUMNS_H_
