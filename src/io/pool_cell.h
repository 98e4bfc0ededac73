// SPDX-License-Identifier: Apache-2.0
// The pools that a record may use, as a cell of a trace: "sram:0|dram:5".
#ifndef STOWAGE_SRC_IO_POOL_CELL_H_
#define STOWAGE_SRC_IO_POOL_CELL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"

namespace stowage {

struct NamedChoice {
  absl::string_view pool;
  uint64_t cost = 0;
};

// The choices in a cell, which outlives them; none for an empty one. A name
// without a cost has the cost 0. Error: InvalidArgument, without the column.
absl::StatusOr<std::vector<NamedChoice>> ParsePoolCell(absl::string_view cell);

// The cell of some choices, which ParsePoolCell reads again.
std::string FormatPoolCell(absl::Span<const PoolChoice> choices,
                           absl::Span<const MemoryPool> pools);

// Returns whether a cell can hold the name: it is not empty, has no ':' and no
// '|', and no blank at its ends.
bool FitsPoolCell(absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_POOL_CELL_H_
