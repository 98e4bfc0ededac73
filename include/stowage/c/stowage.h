// SPDX-License-Identifier: Apache-2.0
// Makes memory plans for tensors, from C. This interface is for runtimes in C
// and for bindings of other languages. Include this header. Its chapters are
// error.h, problem.h, solve.h, verify.h, cache.h and dynamic.h. The chapters
// include only each other, <stddef.h> and <stdint.h>. In C++ use
// stowage/stowage.h instead, and on devices the headers in stowage/micro/.
//
// A USAGE RECORD says how large a tensor is and during which tasks it is live.
// Both ends are INCLUSIVE. Records that share a task share no byte.
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
// LEVELS. stowage_plan_in_place() allocates no memory. stowage_assign_offsets()
// makes a plan in one call. Handles (builder, problem, solution) give access to
// everything.
//
// OWNERSHIP. The caller owns each handle that is returned by a function named
// ..._new, or that a function writes through a pointer. Free a handle by the
// function of its type that is named ..._free, which accepts null. Everything
// that a getter returns belongs to the handle and is valid as long as the
// handle. Inputs are copied during the call.
//
// ERRORS. A function that can fail returns a stowage_code and takes a
// stowage_error*, which may be null, as its last argument.
// STOWAGE_INVALID_ARGUMENT is the code for a null pointer where null is not
// allowed, for a value that is not an enumerator, and for a handle of a
// different type. For a count above 2^32 - 1, the code is STOWAGE_OUT_OF_RANGE;
// the count is checked before the array is read. In stowage_stack_offsets() and
// stowage_dynamic_sizes(), however, the code is STOWAGE_INVALID_ARGUMENT for
// every count that is not the number of records. An array of 0 elements may be
// null. If there is too little memory, the code is STOWAGE_RESOURCE_EXHAUSTED.
// After an error, a handle that was to be created is null, and all other
// results are unchanged. Using a handle after it was freed is undefined.
//
// STRUCTS that may grow in later versions begin with `struct_size`, to which
// the caller assigns the sizeof of the struct. The library reads and writes no
// bytes beyond that size. If the caller sets an option that the library does
// not know, the call returns STOWAGE_UNIMPLEMENTED. If `struct_size` is below
// the size in version 1, the call returns STOWAGE_INVALID_ARGUMENT. Fields
// named `reserved` must be 0 in inputs.
//
// THREADS. Any number of threads may use a problem, a solution, a cache or a
// token at the same time, but only one thread may use a builder. The library
// reads no environment variable, changes no signal mask and no locale, and
// prints nothing.
//
// CALLBACKS run on the thread that has called the library, and may call any of
// its functions. If a callback throws an exception, the call returns
// STOWAGE_INTERNAL with the text of the exception. Leaving a callback by
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
