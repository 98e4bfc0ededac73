// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

#include "src/micro/buffers.h"
#include "src/micro/place.h"
#include "stowage/micro/plan.h"

stowage_micro_status stowage_micro_plan_best(stowage_micro_buffer* buffers,
                                             uint32_t count, uint32_t alignment,
                                             void* workspace,
                                             uint32_t workspace_bytes,
                                             uint32_t* total) {
  stowage_micro_status best_status = STOWAGE_MICRO_OVERFLOW;
  placing_order best = kLargestFirst;
  uint32_t best_total = UINT32_MAX;
  for (uint32_t order = 0; order < kOrders; ++order) {
    uint32_t end = 0;
    const stowage_micro_status status =
        place((placing_order)order, buffers, count, alignment, workspace,
              workspace_bytes, &end);
    // An overflow depends on the order, so the other orders are tried
    // nevertheless. All other errors occur in every order.
    if (status == STOWAGE_MICRO_OVERFLOW) continue;
    if (status != STOWAGE_MICRO_OK) return status;
    stowage_micro_unplan(buffers, count, workspace);
    if (best_status != STOWAGE_MICRO_OK || end < best_total) {
      best_status = STOWAGE_MICRO_OK;
      best = (placing_order)order;
      best_total = end;
    }
  }
  if (best_status != STOWAGE_MICRO_OK) return best_status;
  return place(best, buffers, count, alignment, workspace, workspace_bytes,
               total);
}
