// SPDX-License-Identifier: Apache-2.0
#include "tests/command/plan_in_c.h"

#include <stdint.h>

#include "docs/micro_example/keyword_plan.h"
#include "stowage/micro/plan.h"

static uint8_t arena[KEYWORD_ARENA_BYTES];
KEYWORD_REQUIRE_ARENA(arena);
KEYWORD_REQUIRE_HEAD(arena);

stowage_micro_status stowage_check_keyword_plan(void) {
  stowage_micro_buffer buffers[KEYWORD_BUFFERS];
  uint32_t witness[2];
  for (uint32_t i = 0; i < KEYWORD_BUFFERS; ++i) {
    buffers[i].size = keyword_buffers[i][0];
    buffers[i].first_task = keyword_buffers[i][1];
    buffers[i].last_task = keyword_buffers[i][2];
    buffers[i].offset = keyword_buffers[i][3];
  }
  if (keyword_is_model(arena, sizeof(arena))) return STOWAGE_MICRO_BAD_ARENA;
  return stowage_micro_check(buffers, KEYWORD_BUFFERS, KEYWORD_ALIGNMENT,
                             KEYWORD_HEAD_BYTES, witness);
}
