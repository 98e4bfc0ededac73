// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "stowage/micro/plan.h"

// Planning leaves the number of buffers that it placed at the begin of the
// workspace, and these first in the second half.
void stowage_micro_unplan(stowage_micro_buffer* buffers, uint32_t count,
                          const void* workspace) {
  const uint16_t* const numbers = workspace;
  if (count == 0) return;
  for (uint32_t i = 0; i < numbers[0]; ++i) {
    buffers[numbers[count + i]].offset = STOWAGE_MICRO_UNPLACED;
  }
}
