/* SPDX-License-Identifier: Apache-2.0 */
/* A planner as a C function, so that planners in any language can be tested.
 *
 * Compiles as C and as C++, and includes nothing else of Stowage. plan_fn.h
 * makes a PlanFn of it:
 *
 *   static int my_plan(void* context,
 *                      const struct stowage_test_record* records, size_t count,
 *                      uint64_t* offsets, uint64_t* total_size);
 *
 *   PlanFn planner = stowage::testing::PlanFnOf(&my_plan, NULL);
 *
 * For a planner that is a program of its own, see `stowage check-planner`.
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

/* A tensor. Both ends of the interval are inclusive: two tensors of which one
 * ends at the very task at which the other begins may not share a byte. */
struct stowage_test_record {
  uint64_t size;       /* bytes; 0 is allowed */
  uint64_t first_task; /* at max last_task */
  uint64_t last_task;
  uint64_t alignment; /* bytes, of the offset: a power of two */
};

/* Plans `count` records: writes offsets[i], in bytes, for each, and the bytes
 * of the arena to *total_size. Returns STOWAGE_TEST_PLANNED,
 * STOWAGE_TEST_REFUSED for records that have no plan, such as sizes that pass
 * 2^64 - 1 in sum, or STOWAGE_TEST_UNSUPPORTED for what the planner does not
 * claim to do. `context` is what the adapter was given. The function may be
 * called any number of times, from one thread at a time. */
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
