// SPDX-License-Identifier: Apache-2.0
// Reads and writes cells of a trace that contain the pools that a record may
// use: "sram:0|dram:5".
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
// in the result point into `cell`, which must outlive the result. A name
// without a cost has cost 0. Error: InvalidArgument, with a message that does
// not contain the name of the column.
StatusOr<std::vector<NamedChoice>> ParsePoolCell(string_view cell);

// Returns the cell with these choices, in the format that ParsePoolCell reads.
std::string FormatPoolCell(Span<const PoolChoice> choices,
                           Span<const MemoryPool> pools);

// Returns whether a cell can contain the name. Such a name is not empty,
// contains neither ':' nor '|', and neither begins nor ends with a blank.
bool FitsPoolCell(string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_POOL_CELL_H_
