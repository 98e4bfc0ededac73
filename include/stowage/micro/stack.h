// SPDX-License-Identifier: Apache-2.0
// Computes offsets for buffers with sizes that are known only at run time, from
// an order that was planned on a host. Each buffer is placed above all earlier
// buffers of the order that are live at the same time, so the offsets are safe
// whatever the sizes are. Use this header if the shapes of a model change from
// run to run; if the sizes are fixed, store the offsets themselves. On a host,
// use stowage/dynamic/stack_plan.h, which computes the same offsets. The code
// is C99 and uses no heap, no libc, no recursion, no division, no global state
// and no callbacks.
//
//   static const uint8_t table[] = {...};  // by stowage offline header --stack
//   stowage_micro_stack stack;
//   size_t sizes[3], offsets[3], total;
//   if (stowage_micro_stack_check(table, sizeof(table), &stack) ==
//       STOWAGE_MICRO_OK) {
//     // For each run, with sizes[0, stack.records) from the bottom to the top:
//     if (stowage_micro_stack_place(&stack, sizes, offsets, &total) ==
//         STOWAGE_MICRO_OK) {
//       // offsets[i]; the arena needs `total` bytes
//     }
//   }
//
// A table is an array of bytes at any address. Numbers in the table are
// little-endian. Each row gives the position and the number of bytes of a
// field:
//
//   0   3  'S', 'T' and the version, 1
//   3   1  the log2 of the alignment
//   4   4  the number of records
//   8   4  the 32-bit FNV-1a hash of all bytes but these four
//   12     for each record, from the bottom to the top:
//       1  the number of its edges, or 255 if the next 4 bytes hold it
//       2  for each edge, the number of positions from its record down to the
//          record that it leads to, or 0 if the next 4 bytes hold it
//
// A record is placed above the ends of all records that its edges lead to. A
// number of edges below 255 and a number of positions below 65,536 must have
// the short form, so each plan has exactly one table.
#ifndef STOWAGE_MICRO_STACK_H_
#define STOWAGE_MICRO_STACK_H_

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): this is C.
#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/status.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// A checked table. The memory of the table must outlive this struct and must
// not change.
typedef struct {
  const uint8_t* edges;  // the bytes of the table after its header
  uint32_t records;
  size_t alignment;  // is in bytes, a power of two
} stowage_micro_stack;

// Checks a whole table once, so that stowage_micro_stack_place() need not check
// it again. Never reads a byte outside of the table, whatever the table
// contains.
//
// Errors, which leave *stack unchanged: NULL_ARGUMENT; STACK_NOT_A_TABLE if the
// bytes are not a table, or are a table of a different version; STACK_BAD_SIZE
// if the table is cut off or followed by more bytes; STACK_DAMAGED if the hash
// is wrong, which detects every change of a single byte; BAD_ALIGNMENT if the
// alignment does not fit in size_t; STACK_BAD_EDGE if an edge does not lead to
// a lower record, or if a number has the wrong form.
//
// O(bytes).
stowage_micro_status stowage_micro_stack_check(const void* table, size_t bytes,
                                               stowage_micro_stack* stack);

// Computes the offset of each record, given the sizes of a run, and sets *total
// to the highest end, in bytes. `sizes` and `offsets` have an element for each
// record, from the bottom to the top; both may be null if there are no records.
// A size may be 0, and need not be a multiple of the alignment. Requires a
// table that stowage_micro_stack_check() has accepted.
//
// Errors, which leave *total unchanged and offsets unspecified: NULL_ARGUMENT;
// OVERFLOW if an offset or an end does not fit in size_t.
//
// O(records + edges) time, no memory.
stowage_micro_status stowage_micro_stack_place(const stowage_micro_stack* stack,
                                               const size_t* sizes,
                                               size_t* offsets, size_t* total);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_STACK_H_
