// SPDX-License-Identifier: Apache-2.0
// Chapter 6 of stowage.h: sizes that are known only at run time. One order of
// the records determines safe offsets for all sizes, without planning again. If
// sizes are fixed, use solve.h.
//
//   stowage_dynamic* dynamic;
//   stowage_stack* stack;
//   stowage_dynamic_parse(text, size, "dyn.json", &dynamic, &error);
//   stowage_dynamic_plan(dynamic, STOWAGE_NONE, &stack, &error);
//   // For each run:
//   stowage_dynamic_sizes(dynamic, "seq=128", sizes, count, &error);
//   stowage_stack_offsets(stack, sizes, count, offsets, &total, &error);
//
// The shared library exports the functions of this chapter with the symbol
// version STOWAGE_1.1.
#ifndef STOWAGE_C_DYNAMIC_H_
#define STOWAGE_C_DYNAMIC_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#include "stowage/c/error.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// ---- Stacks

// An order in which records are stacked. Each record gets the lowest aligned
// offset at or above the ends of all records that precede it in the order and
// share a task with it.
typedef struct stowage_stack stowage_stack;

// Creates a stack. `order` lists the indices of the `count` records, from the
// bottom to the top. The sizes of the records are ignored. Errors:
// INVALID_ARGUMENT if the order does not list each record once, the last task
// of a record is before its first task, or the alignment is not a power of two.
// O(n log n + the pairs of records that share a task).
stowage_code stowage_stack_create(const stowage_record* records, size_t count,
                                  uint64_t alignment, const uint64_t* order,
                                  stowage_stack** stack, stowage_error* error);
void stowage_stack_free(stowage_stack* stack);

typedef struct {
  uint32_t struct_size;
  // STOWAGE_OPTIMAL if `reserve` equals `bound`, else STOWAGE_FEASIBLE. If
  // `reserve` exceeds the capacity of the problem, STOWAGE_INFEASIBLE if
  // `bound` exceeds it as well, and STOWAGE_OVER_CAPACITY otherwise.
  // STOWAGE_FEASIBLE if the stack was created from records.
  uint32_t status;
  uint64_t count;  // the number of records
  // The number of pairs of records that an evaluation compares. In each of
  // these pairs, one record may be placed directly on the other.
  uint64_t edges;
  // The records from the bottom to the top, `count` entries. The list belongs
  // to the stack.
  const uint64_t* order;
  // `reserve` is a number of bytes that suffices for every value of the
  // parameters. `bound` is a lower bound on it: for some value, every plan
  // needs at least `bound` bytes. Both members are STOWAGE_NONE if the stack
  // was created from records.
  uint64_t reserve;
  uint64_t bound;
} stowage_stack_info;

stowage_code stowage_stack_get_info(const stowage_stack* stack,
                                    stowage_stack_info* info,
                                    stowage_error* error);

// Writes the offset of each record for the given sizes, and sets *total to the
// size of the arena. `sizes` and `offsets` are in bytes and have one entry for
// each record, in the order of the records. A successful call allocates no
// memory. Errors: INVALID_ARGUMENT if `count` is not the number of records, or
// if records with fixed offsets overlap; OUT_OF_RANGE if an offset or an end
// exceeds 2^64 - 1. After OUT_OF_RANGE or an overlap, the offsets are
// unspecified. O(n + edges).
stowage_code stowage_stack_offsets(const stowage_stack* stack,
                                   const uint64_t* sizes, size_t count,
                                   uint64_t* offsets, uint64_t* total,
                                   stowage_error* error);

// Sets *table to the binary form of the stack for devices, and *size to its
// number of bytes. stowage/micro/stack.h describes and evaluates this form. The
// bytes belong to the stack. Error: UNIMPLEMENTED if records have different
// alignments, groups or fixed offsets.
stowage_code stowage_stack_table(const stowage_stack* stack,
                                 const uint8_t** table, size_t* size,
                                 stowage_error* error);

// ---- Problems with parameters

// A problem in which sizes are expressions of parameters, or are listed for a
// few scenarios.
typedef struct stowage_dynamic stowage_dynamic;

// Parses a problem in JSON (docs/dynamic.md). `name` is the name of the text in
// messages. Errors:
//   INVALID_ARGUMENT    the text is not valid, or the expression of a size or
//                       a part of this expression has a value above 2^63 - 1;
//                       the error has the line, the record and the column (a
//                       size that is listed for a scenario may be up to
//                       2^64 - 1)
//   UNIMPLEMENTED       the text has fields that problems with parameters do
//                       not support
//   RESOURCE_EXHAUSTED  the parameters have too many values
//   OUT_OF_RANGE        the largest sizes of all records add up to 2^64 or more
stowage_code stowage_dynamic_parse(const char* text, size_t size,
                                   const char* name, stowage_dynamic** dynamic,
                                   stowage_error* error);
void stowage_dynamic_free(stowage_dynamic* dynamic);

// Sets *count to the number of records.
stowage_code stowage_dynamic_count(const stowage_dynamic* dynamic,
                                   uint64_t* count, stowage_error* error);

// Writes the size of each record in bytes. `at` assigns a value to each
// parameter, for example "seq=128,batch=8", or is the name of a scenario.
// Errors: INVALID_ARGUMENT if a value is outside of its range or violates a
// limit, or if `count` is not the number of records.
stowage_code stowage_dynamic_sizes(const stowage_dynamic* dynamic,
                                   const char* at, uint64_t* sizes,
                                   size_t count, stowage_error* error);

// Finds one order of the records for all values of the parameters. The search
// starts with a few orders and then evaluates at most `max_orders` further
// orders; STOWAGE_NONE means the default number. The resulting stack is the
// same on every machine. Errors: those of stowage_problem_create().
stowage_code stowage_dynamic_plan(const stowage_dynamic* dynamic,
                                  uint64_t max_orders, stowage_stack** stack,
                                  stowage_error* error);

// Creates a stack from the order in the text of the problem. Errors:
// FAILED_PRECONDITION if the text contains no order; INVALID_ARGUMENT as for
// stowage_stack_create().
stowage_code stowage_dynamic_stack(const stowage_dynamic* dynamic,
                                   stowage_stack** stack, stowage_error* error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_DYNAMIC_H_
