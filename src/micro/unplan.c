// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "stowage/micro/plan.h"

// Planning stores the number of buffers that it has placed at the beginning of
// the workspace, and their indices at the beginning of the second half. Both
// are checked here, because the workspace may have been overwritten in the
// meantime.
void stowage_micro_unplan(stowage_micro_buffer* buffers, uint32_t count,
                          const void* workspace) {
  const uint16_t* const numbers = workspace;
  if (count == 0) return;
  for (uint32_t i = 0; i < numbers[0] && i < count; ++i) {
    const uint32_t placed = numbers[count + i];
    if (placed < count) buffers[placed].offset = STOWAGE_MICRO_UNPLACED;
  }
}
