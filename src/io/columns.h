// SPDX-License-Identifier: Apache-2.0
// Lists the columns that a trace in a CSV file may have. The reader and the
// writer share this list.
#ifndef STOWAGE_SRC_IO_COLUMNS_H_
#define STOWAGE_SRC_IO_COLUMNS_H_

#include <array>
#include <cstddef>

#include "stowage/base/string_view.h"

namespace stowage {

// Lists the columns in the order in which they are written.
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
  // These columns describe the tensor.
  kName,
  kType,
  kShape,
  kProducer,
  kConsumers,
  // These columns come from MiniMalloc and are never written.
  kGaps,
  kHint,
};

constexpr std::array<string_view, 21> kColumnNames = {
    "id",   "lower", "upper", "size",     "alignment", "fixed",  "min",
    "max",  "group", "at",    "pool",     "offset",    "object", "chosen_pool",
    "name", "type",  "shape", "producer", "consumers", "gaps",   "hint"};

// A name that MiniMalloc gives to a column that has a different name in a
// trace.
struct ColumnAlias {
  string_view name;
  Column column;
};

// The column `end` holds the last task itself. The column `upper` holds the
// task after it.
constexpr string_view kInclusiveEnd = "end";
constexpr std::array<ColumnAlias, 5> kColumnAliases = {
    {{"buffer_id", kId},
     {"buffer", kId},
     {"start", kLower},
     {"begin", kLower},
     {kInclusiveEnd, kUpper}}};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_COLUMNS_H_
