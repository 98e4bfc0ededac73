// SPDX-License-Identifier: Apache-2.0
// Encodes stacks as bytes for devices. stowage/micro/stack.h describes the
// format and evaluates it in C99. On a host, no table is needed: use StackPlan
// (stack_plan.h).
//
//   StatusOr<std::vector<uint8_t>> table = EncodeStack(*plan);
//
// If there are at most 65,536 records and no record has more than 254 edges, a
// table has 12 bytes, plus one byte for each record and two bytes for each
// edge.
#ifndef STOWAGE_DYNAMIC_STACK_TABLE_H_
#define STOWAGE_DYNAMIC_STACK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

// Returns the table of a plan. The table identifies records by their positions
// in the order, so a device must list sizes and offsets from the bottom to the
// top. Errors: Unimplemented if the plan has groups or fixed offsets;
// Unimplemented, naming a record, if the records have different alignments,
// because a table has only one alignment. O(records + edges).
StatusOr<std::vector<uint8_t>> EncodeStack(const StackPlan& plan);

// The content of a table.
struct StackTable {
  size_t alignment = 1;
  // For each position, the positions of the records that may be directly below
  // the record at this position (StackPlan::Below), in the order of the table.
  // The lists are concatenated in `below`, and `ends` contains the end of each
  // list.
  std::vector<uint32_t> below;
  std::vector<size_t> ends;

  size_t size() const { return ends.size(); }
  Span<const uint32_t> Below(size_t position) const {
    const size_t begin = position == 0 ? 0 : ends[position - 1];
    return MakeConstSpan(below).subspan(begin, ends[position] - begin);
  }
};

// Decodes a table from any source. Accepts exactly the tables that
// stowage_micro_stack_check() accepts on a 64-bit device. Error:
// InvalidArgument, with the byte at which the error was found. O(bytes).
StatusOr<StackTable> DecodeStack(Span<const uint8_t> table);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_TABLE_H_
