// SPDX-License-Identifier: Apache-2.0
// Chapter 4 of stowage.h: functions that verify plans from any source, read and
// write files, and write and check certificates.
//
//   stowage_violation violation;
//   violation.struct_size = sizeof(violation);
//   if (stowage_verify(problem, &plan, &violation, &error)) {
//     fprintf(stderr, "%s\n", error.message);
//     // tensor 3 and tensor 7 both hold bytes [64, 128) at task 5
//   }
#ifndef STOWAGE_C_VERIFY_H_
#define STOWAGE_C_VERIFY_H_

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

// ---- Verifying

// The kinds of violations of a plan. They have the names and the order of
// Violation::Kind in stowage/verify.h, which documents the fields that each
// kind sets. Each number here is higher by 1 than that of Violation::Kind.
enum {
  STOWAGE_NO_VIOLATION = 0,
  STOWAGE_INVALID_RECORD = 1,
  STOWAGE_INVALID_ALIGNMENT = 2,
  // The plan has `found` places for `expected` records.
  STOWAGE_COUNT_MISMATCH = 3,
  STOWAGE_UNKNOWN_OBJECT = 4,
  STOWAGE_OBJECT_TOO_SMALL = 5,
  STOWAGE_MISALIGNED = 6,  // `begin` is not a multiple of `expected`
  STOWAGE_BEYOND_ARENA = 7,
  // Both records hold bytes [begin, end) at `task`.
  STOWAGE_OVERLAPPING_BYTES = 8,
  STOWAGE_SHARED_OBJECT = 9,  // both records hold one object at `task`
  STOWAGE_NOT_AT_FIXED_OFFSET = 10,
  STOWAGE_OUTSIDE_RANGE = 11,
  STOWAGE_GROUP_BROKEN = 12,
  STOWAGE_IN_HOLE = 13,
  STOWAGE_NOT_APART = 14,
  STOWAGE_WRONG_POOL = 15,
  STOWAGE_BEYOND_POOL = 16,
  // A record ends beyond the capacity, or the total exceeds the capacity. If
  // the total exceeds it, `end` is the total, and both tensors are
  // STOWAGE_NONE.
  STOWAGE_BEYOND_CAPACITY = 17,
  STOWAGE_UNORDERED_SHARING = 18,
  // Both records may lie in one place or be apart, but share only the bytes
  // [begin, end).
  STOWAGE_SHARED_IN_PART = 19
};

// A witness that a plan is not safe.
typedef struct {
  uint32_t struct_size;
  uint32_t kind;  // is STOWAGE_OVERLAPPING_BYTES, ..
  uint64_t first_tensor;
  uint64_t second_tensor;
  uint64_t task;
  uint64_t begin;
  uint64_t end;
  uint64_t object;
  uint64_t hole;
  uint64_t pool;
  uint64_t second_task;
  uint64_t third_task;
  uint64_t expected;
  uint64_t found;
} stowage_violation;

// Checks a plan from any source against all requirements of a problem,
// including its capacity but excluding its reallocation graph. Returns
// STOWAGE_OK if and only if the plan is safe. If the problem has optional
// groups and plan->places is null, the plan keeps no groups.
//
// If `violation` is not null, sets *violation. If the plan is safe,
// violation->kind is STOWAGE_NO_VIOLATION. Errors other than
// FAILED_PRECONDITION leave *violation unchanged. O(n log n) time, O(n) memory.
// Errors:
//   FAILED_PRECONDITION  the plan is unsafe; the error has the records and a
//                        line of text, but an error about the total names no
//                        record
//   INVALID_ARGUMENT     the plan is of a different kind; it lacks an order of
//                        the tasks although the problem has a free order; it
//                        keeps a group that is not a part of an optional group
//                        of the problem; or it sets a reserved field
//   OUT_OF_RANGE         the sizes of the objects add up to more than 2^64 - 1
stowage_code stowage_verify(const stowage_problem* problem,
                            const stowage_plan* plan,
                            stowage_violation* violation, stowage_error* error);

// Checks the offsets of records like stowage_verify(), but without a problem.
stowage_code stowage_verify_offsets(const stowage_record* records, size_t count,
                                    uint64_t alignment, const uint64_t* offsets,
                                    uint64_t total,
                                    stowage_violation* violation,
                                    stowage_error* error);

// ---- Files

// The content of a file: a problem in CSV (docs/trace-format.md) or JSON
// (docs/problem-format.md), possibly with a plan for it.
typedef struct stowage_file stowage_file;

// Read a file, or parse a text of `size` bytes. `name` is the name of the text
// in messages. The path "-" means standard input. Errors: NOT_FOUND;
// PERMISSION_DENIED; FAILED_PRECONDITION for a folder; INVALID_ARGUMENT, with
// the line, if the text is not a problem file.
stowage_code stowage_file_read(const char* path, stowage_file** file,
                               stowage_error* error);
stowage_code stowage_file_parse(const char* text, size_t size, const char* name,
                                stowage_file** file, stowage_error* error);
void stowage_file_free(stowage_file* file);

// Creates a builder with all requests of the problem in a file. The caller may
// add further requests, and must free the builder with stowage_builder_free().
stowage_code stowage_file_builder(const stowage_file* file,
                                  stowage_builder** builder,
                                  stowage_error* error);

// Sets *plan to the plan in a file: to its plan of offsets if `kind` is
// STOWAGE_OFFSETS, and to its plan of shared objects if `kind` is
// STOWAGE_OBJECTS. The lists belong to the file. The plan is NOT verified.
// Errors: FAILED_PRECONDITION if the file has no such plan; OUT_OF_RANGE if the
// plan needs more than 2^64 - 1 bytes.
stowage_code stowage_file_plan(const stowage_file* file, uint32_t kind,
                               stowage_plan* plan, stowage_error* error);

// Receives the next piece of a text. The piece is not terminated by a null
// byte. If the function returns a value other than 0, writing stops and returns
// STOWAGE_CANCELLED.
typedef int32_t (*stowage_write_fn)(void* context, const char* text,
                                    size_t size);

enum { STOWAGE_CSV = 0, STOWAGE_JSON = 1 };

// Write a problem and, unless `plan` is null, a plan. The text is passed to
// `write`, or written to a file. The file appears either completely or not at
// all, because it is written under a temporary name and then renamed. The plan
// is not verified. Errors: UNIMPLEMENTED if the format cannot express the
// problem; OUT_OF_RANGE if a task is 2^64 - 1; INVALID_ARGUMENT, with the
// record, if a name is empty, is not UTF-8 or belongs to another record, or if
// consumers are not in rising order; CANCELLED if `write` stops the call; those
// that the system reports for the file. The file does not contain the kind of
// plan that the problem requests. After reading the file of a problem of shared
// objects, call stowage_builder_kind().
stowage_code stowage_write_problem(const stowage_problem* problem,
                                   const stowage_plan* plan, uint32_t format,
                                   stowage_write_fn write, void* context,
                                   stowage_error* error);
stowage_code stowage_save_problem(const stowage_problem* problem,
                                  const stowage_plan* plan, uint32_t format,
                                  const char* path, stowage_error* error);

// ---- Certificates

// Writes the proof of a solution as a text that other programs can check
// (docs/certificates.md). The text consists of the claim, the plan, and the
// proof of the bound. If a search proved the bound, this function repeats the
// search to write its log. Errors:
//   FAILED_PRECONDITION  nothing is proved
//   INVALID_ARGUMENT     the solution is for another problem
//   UNIMPLEMENTED        the problem has a free order, optional groups, or
//                        pairs from stowage_builder_same_or_apart(); or it is
//                        infeasible and has constraints, unless the records of
//                        the conflict need more bytes than their pool has
//   CANCELLED            `write` stopped the call
stowage_code stowage_write_certificate(const stowage_problem* problem,
                                       const stowage_solution* solution,
                                       stowage_write_fn write, void* context,
                                       stowage_error* error);

// The numbers of statements of a certificate by result. `checked` statements
// hold for the plan, and `proved` statements hold for all plans. Statements are
// not checked if only a search could check them, or if the check would take too
// long.
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t checked;
  uint64_t proved;
  uint64_t not_checked;
} stowage_verdict;

// Checks a certificate against the records of a problem. The check shares no
// arithmetic with the search. If `verdict` is not null, sets *verdict, even if
// a statement is false or the check is cancelled. `write` may be null;
// otherwise it receives a line for each statement. Errors:
//   FAILED_PRECONDITION  a statement is false; the message contains the
//                        statement
//   INVALID_ARGUMENT     the text is not a certificate; or it is a certificate
//                        for other records, for another kind of plan, for a
//                        plan above the capacity of the problem, or for
//                        infeasibility at a capacity below that of the problem;
//                        or, under constraints, it is for a plan at any other
//                        capacity
//   UNIMPLEMENTED        the problem has a free order, optional groups, or
//                        pairs from stowage_builder_same_or_apart()
//   CANCELLED            `write` stopped the call
stowage_code stowage_check_certificate(const stowage_problem* problem,
                                       const char* text, size_t size,
                                       stowage_verdict* verdict,
                                       stowage_write_fn write, void* context,
                                       stowage_error* error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_VERIFY_H_
