// SPDX-License-Identifier: Apache-2.0
// Stacks as bytes for devices, which stowage/micro/stack.h evaluates in C99; it
// has the format. A host evaluates the plan itself (stack_plan.h).
//
//   StatusOr<std::vector<uint8_t>> table = EncodeStack(*plan);
//
// A table has 12 bytes, one for each record and two for each edge, if there are
// at most 65,536 records and fewer than 255 edges of one record.
#ifndef STOWAGE_DYNAMIC_STACK_TABLE_H_
#define STOWAGE_DYNAMIC_STACK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

// Returns the table of a plan. Positions in the order take the place of
// records: sizes and offsets of a device begin with the bottom. Errors:
// Unimplemented, with the record, if the records have different alignments,
// since a table has one. O(records + edges).
StatusOr<std::vector<uint8_t>> EncodeStack(const StackPlan& plan);

// The content of a table.
struct StackTable {
  size_t alignment = 1;
  // The positions on which the record at each position may lie, in the order of
  // the table: StackPlan::Below, one list after the other, with the end of each
  // list.
  std::vector<uint32_t> below;
  std::vector<size_t> ends;

  size_t size() const { return ends.size(); }
  Span<const uint32_t> Below(size_t position) const {
    const size_t begin = position == 0 ? 0 : ends[position - 1];
    return MakeConstSpan(below).subspan(begin, ends[position] - begin);
  }
};

// Reads a table from elsewhere. It accepts the tables that
// stowage_micro_stack_check() accepts on a device with 64 bits. Error:
// InvalidArgument, with the byte at which it was found. O(bytes).
StatusOr<StackTable> DecodeStack(Span<const uint8_t> table);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_STACK_TABLE_H_
