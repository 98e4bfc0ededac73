/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the type of planners that are C functions, so that planners in any
 * language can be tested.
 *
 * This header compiles as C and as C++, and includes no other header of
 * Stowage. plan_fn.h makes a PlanFn of such a function:
 *
 *   static int my_plan(void* context,
 *                      const struct stowage_test_record* records, size_t count,
 *                      uint64_t* offsets, uint64_t* total_size);
 *
 *   PlanFn planner = stowage::testing::PlanFnOf(&my_plan, NULL);
 *
 * To test a planner that is a separate program, use `stowage check-planner`.
 */
#ifndef STOWAGE_TESTING_PLAN_C_H_
#define STOWAGE_TESTING_PLAN_C_H_

/* NOLINTBEGIN(modernize-deprecated-headers): this is C. */
#include <stddef.h>
#include <stdint.h>
/* NOLINTEND(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming, modernize-use-using): as above */

/* A tensor. Both ends of the interval are inclusive: if one tensor ends at the
 * task at which another one begins, the two may not share a byte. */
struct stowage_test_record {
  uint64_t size;       /* bytes; 0 is allowed */
  uint64_t first_task; /* at most last_task */
  uint64_t last_task;
  uint64_t alignment; /* of the offset, in bytes; a power of two */
};

/* Plans `count` records: writes the offset of each record to offsets[i], and
 * the size of the arena to *total_size, both in bytes. Returns
 * STOWAGE_TEST_PLANNED; STOWAGE_TEST_REFUSED for records that have no plan, for
 * example because the sum of their sizes exceeds 2^64 - 1; or
 * STOWAGE_TEST_UNSUPPORTED for records that the planner does not claim to
 * support. `context` is the pointer that was passed to PlanFnOf. The function
 * may be called any number of times, from one thread at a time. */
typedef int (*stowage_test_plan_fn)(void* context,
                                    const struct stowage_test_record* records,
                                    size_t count, uint64_t* offsets,
                                    uint64_t* total_size);

enum {
  STOWAGE_TEST_PLANNED = 0,
  STOWAGE_TEST_REFUSED = 1,
  STOWAGE_TEST_UNSUPPORTED = 2
};

/* NOLINTEND(readability-identifier-naming, modernize-use-using) */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* STOWAGE_TESTING_PLAN_C_H_ */
