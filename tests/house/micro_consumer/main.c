// SPDX-License-Identifier: Apache-2.0
// Contains the example of stowage/micro/plan.h, and includes the other headers
// that C can use.
#include <stdint.h>
#include <stdio.h>

#include "stowage/micro/arena.h"
#include "stowage/micro/offline.h"
#include "stowage/micro/plan.h"

static stowage_micro_buffer buffers[] = {{4096, 0, 1, STOWAGE_MICRO_UNPLACED},
                                         {1024, 1, 2, STOWAGE_MICRO_UNPLACED},
                                         {4096, 2, 3, STOWAGE_MICRO_UNPLACED}};
static uint32_t workspace[STOWAGE_MICRO_WORKSPACE_BYTES(3) / 4];

int main(void) {
  uint32_t total = 0;
  if (stowage_micro_plan(buffers, 3, 16, workspace, sizeof(workspace),
                         &total) != STOWAGE_MICRO_OK) {
    return 1;
  }
  printf("%u %u %u in an arena of %u bytes\n", (unsigned)buffers[0].offset,
         (unsigned)buffers[1].offset, (unsigned)buffers[2].offset,
         (unsigned)total);
  return 0;
}
