// SPDX-License-Identifier: Apache-2.0
// Reads and writes the pools that a record may use, as a cell of a trace:
// "sram:0|dram:5".
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

// Returns the choices in a cell, or none for an empty cell. The names point
// into the cell, which must outlive them. A name without a cost has cost 0.
// Error: InvalidArgument; the message does not name the column.
absl::StatusOr<std::vector<NamedChoice>> ParsePoolCell(absl::string_view cell);

// Returns the cell for these choices in the format that ParsePoolCell reads.
std::string FormatPoolCell(absl::Span<const PoolChoice> choices,
                           absl::Span<const MemoryPool> pools);

// Returns whether a cell can hold the name: it is not empty, contains neither
// ':' nor '|', and has no blank at its ends.
bool FitsPoolCell(absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_POOL_CELL_H_
