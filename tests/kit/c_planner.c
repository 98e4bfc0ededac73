// SPDX-License-Identifier: Apache-2.0
/* A planner in C that places every tensor at the end of the previous tensor. */
#include "stowage/testing/plan_c.h"

int plan_one_after_another(void* context,
                           const struct stowage_test_record* records,
                           size_t count, uint64_t* offsets,
                           uint64_t* total_size) {
  uint64_t end = 0;
  size_t i;
  if (context != NULL) ++*(int*)context;
  for (i = 0; i < count; ++i) {
    const uint64_t mask = records[i].alignment - 1;
    if (end > UINT64_MAX - mask) return STOWAGE_TEST_REFUSED;
    offsets[i] = (end + mask) & ~mask;
    if (records[i].size > UINT64_MAX - offsets[i]) return STOWAGE_TEST_REFUSED;
    end = offsets[i] + records[i].size;
  }
  *total_size = end;
  return STOWAGE_TEST_PLANNED;
}
