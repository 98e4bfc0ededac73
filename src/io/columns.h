// SPDX-License-Identifier: Apache-2.0
// Lists the columns that a trace in a CSV file may have, for both the reader
// and the writer.
#ifndef STOWAGE_SRC_IO_COLUMNS_H_
#define STOWAGE_SRC_IO_COLUMNS_H_

#include <array>
#include <cstddef>

#include "stowage/base/string_view.h"

namespace stowage {

// The columns, in the order in which they are written.
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
  // The following columns come from MiniMalloc and are never written.
  kGaps,
  kHint,
};

constexpr std::array<string_view, 21> kColumnNames = {
    "id",   "lower", "upper", "size",     "alignment", "fixed",  "min",
    "max",  "group", "at",    "pool",     "offset",    "object", "chosen_pool",
    "name", "type",  "shape", "producer", "consumers", "gaps",   "hint"};

// The name in MiniMalloc of a column that has a different name in a trace.
struct ColumnAlias {
  string_view name;
  Column column;
};

// The column `end` contains the last task itself, while the column `upper`
// contains the task after it.
constexpr string_view kInclusiveEnd = "end";
constexpr std::array<ColumnAlias, 5> kColumnAliases = {
    {{"buffer_id", kId},
     {"buffer", kId},
     {"start", kLower},
     {"begin", kLower},
     {kInclusiveEnd, kUpper}}};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_COLUMNS_H_
