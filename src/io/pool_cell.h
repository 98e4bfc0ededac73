// SPDX-License-Identifier: Apache-2.0
// Reads and writes the pools that a record may use, as a cell of a trace:
// "sram:0|dram:5".
#ifndef STOWAGE_SRC_IO_POOL_CELL_H_
#define STOWAGE_SRC_IO_POOL_CELL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"

namespace stowage {

struct NamedChoice {
  string_view pool;
  uint64_t cost = 0;
};

// Returns the choices in a cell, or an empty list for an empty cell. The names
// of the choices point into the cell, which must outlive the choices. A name
// without a cost has cost 0. Error: InvalidArgument; the message does not name
// the column.
StatusOr<std::vector<NamedChoice>> ParsePoolCell(string_view cell);

// Returns the cell for these choices in the format that ParsePoolCell reads.
std::string FormatPoolCell(Span<const PoolChoice> choices,
                           Span<const MemoryPool> pools);

// Returns whether a cell can hold the name: it is not empty, contains neither
// ':' nor '|', and has no blank at its ends.
bool FitsPoolCell(string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_POOL_CELL_H_
