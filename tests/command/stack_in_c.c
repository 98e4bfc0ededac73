// SPDX-License-Identifier: Apache-2.0
#include "tests/command/stack_in_c.h"

#include <stddef.h>
#include <stdint.h>

#include "stowage/micro/stack.h"
#include "stowage/micro/status.h"
#include "tests/command/dynamic_stack.h"
#include "tests/command/scenarios_stack.h"

static uint8_t arena[DYNAMIC_STACK_RESERVE_BYTES];
DYNAMIC_STACK_REQUIRE_ARENA(arena);

int stowage_stack_dynamic(int64_t batch, int64_t extent, int64_t row,
                          size_t sizes[4], size_t offsets[4], size_t* total) {
  stowage_micro_stack stack;
  if (stowage_micro_stack_check(dynamic_stack_table, DYNAMIC_STACK_TABLE_BYTES,
                                &stack) != STOWAGE_MICRO_OK) {
    return 0;
  }
  arena[0] = 1;
  return dynamic_stack_sizes(batch, extent, row, sizes) &&
         stowage_micro_stack_place(&stack, sizes, offsets, total) ==
             STOWAGE_MICRO_OK;
}

int stowage_stack_scenario(uint32_t scenario, size_t sizes[2],
                           size_t offsets[2], size_t* total) {
  stowage_micro_stack stack;
  return stowage_micro_stack_check(scenarios_stack_table,
                                   SCENARIOS_STACK_TABLE_BYTES,
                                   &stack) == STOWAGE_MICRO_OK &&
         scenarios_stack_sizes(scenario, sizes) &&
         stowage_micro_stack_place(&stack, sizes, offsets, total) ==
             STOWAGE_MICRO_OK;
}
