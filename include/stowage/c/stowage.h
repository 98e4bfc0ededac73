// SPDX-License-Identifier: Apache-2.0
// Plans the memory of tensors, from C. This interface is for runtimes in C and
// for bindings of other languages. Include this header; its chapters are
// error.h, problem.h, solve.h, verify.h, cache.h and dynamic.h. The chapters
// include only each other, <stddef.h> and <stdint.h>. In C++, use
// stowage/stowage.h instead; on devices, use the headers in stowage/micro/.
//
// A USAGE RECORD contains the size of a tensor and the interval of tasks during
// which it is live. Both ends of the interval are INCLUSIVE. Two records that
// are live at the same task must not share a byte.
//
//        task   0   1   2   3   4
//   tensor a    [-------]              {4096, first_task 0, last_task 2}
//   tensor b            [-------]      {1024, first_task 2, last_task 4}
//   tensor c                [---]      {4096, first_task 3, last_task 4}
//
// This is a complete program. The tests compile it as C99 and run it. It prints
// "0 4096 0 in an arena of 5120 bytes: optimal".
//
//   #include <inttypes.h>
//   #include <stdio.h>
//
//   #include "stowage/c/stowage.h"
//
//   int main(void) {
//     const stowage_record list[] = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
//     stowage_builder* builder = stowage_builder_new();
//     stowage_problem* problem = NULL;
//     stowage_solution* solution = NULL;
//     stowage_options options;
//     stowage_summary summary;
//     stowage_plan plan;
//     stowage_error error;
//     options.struct_size = sizeof(options);
//     summary.struct_size = sizeof(summary);
//     plan.struct_size = sizeof(plan);
//     error.struct_size = sizeof(error);
//     if (stowage_builder_records(builder, list, 3, &error) ||
//         stowage_builder_alignment(builder, 64, &error) ||
//         stowage_problem_create(builder, &problem, &error) ||
//         stowage_options_init(&options, &error) ||
//         stowage_solve(problem, &options, &solution, &error) ||
//         stowage_solution_summary(solution, &summary, &error) ||
//         stowage_solution_plan(solution, &plan, &error)) {
//       fprintf(stderr, "%s\n", error.message);
//     } else {
//       for (uint64_t i = 0; i < plan.count; ++i) {
//         printf("%" PRIu64 " ", plan.offsets[i]);
//       }
//       printf("in an arena of %" PRIu64 " bytes: %s\n", plan.total_size,
//              stowage_status_name(summary.status));
//     }
//     stowage_solution_free(solution);
//     stowage_problem_free(problem);
//     stowage_builder_free(builder);
//     return 0;
//   }
//
// LEVELS. stowage_plan_in_place() makes a plan without allocating memory.
// stowage_assign_offsets() makes a plan in one call. Handles (builder, problem,
// solution) give access to all other features.
//
// OWNERSHIP. The caller owns each handle that a function named ..._new returns,
// or that a function writes through a pointer. Free a handle with the function
// of its type that is named ..._free; these functions accept null. Everything
// that a getter returns belongs to the handle, and is valid until the handle is
// freed. Inputs are copied during the call.
//
// ERRORS. A function that can fail returns a stowage_code. Its last argument is
// a stowage_error*, which may be null. The code is STOWAGE_INVALID_ARGUMENT for
// a null pointer where null is not permitted, for a value that is not an
// enumerator, and for a handle of a different type. The code is
// STOWAGE_OUT_OF_RANGE for a count above 2^32 - 1, which is checked before the
// array is read. There are two exceptions: stowage_stack_offsets() and
// stowage_dynamic_sizes() return STOWAGE_INVALID_ARGUMENT for every count that
// is not the number of records. An array of 0 elements may be null. If there is
// not enough memory, the code is STOWAGE_RESOURCE_EXHAUSTED. After an error,
// the handle that the function should have created is null, and all other
// results are unchanged. Using a handle after it was freed is undefined.
//
// STRUCTS that may grow in later versions begin with `struct_size`, which the
// caller must set to the sizeof of the struct. The library does not read or
// write bytes beyond this size. A call returns STOWAGE_UNIMPLEMENTED if the
// caller sets an option that the library does not know, and
// STOWAGE_INVALID_ARGUMENT if `struct_size` is below the size in version 1. In
// inputs, fields named `reserved` must be 0.
//
// THREADS. Any number of threads may use a problem, a solution, a cache or a
// token at the same time, but only one thread at a time may use a builder. The
// library does not read environment variables, does not change the signal mask
// or the locale, and does not print anything.
//
// CALLBACKS run on the thread that called the library, and may call any of its
// functions. If a callback throws an exception, the call returns
// STOWAGE_INTERNAL with the text of the exception. Leaving a callback with
// longjmp is undefined and leaks memory.
#ifndef STOWAGE_C_STOWAGE_H_
#define STOWAGE_C_STOWAGE_H_

#include "stowage/c/cache.h"
#include "stowage/c/dynamic.h"
#include "stowage/c/error.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"
#include "stowage/c/verify.h"

#endif  // STOWAGE_C_STOWAGE_H_
