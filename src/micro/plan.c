// SPDX-License-Identifier: Apache-2.0
#include "stowage/micro/plan.h"

#include <stddef.h>
#include <stdint.h>

#include "src/micro/buffers.h"
#include "src/micro/check_buffers.h"
#include "src/micro/place.h"

stowage_micro_status stowage_micro_plan(stowage_micro_buffer* buffers,
                                        uint32_t count, uint32_t alignment,
                                        void* workspace,
                                        uint32_t workspace_bytes,
                                        uint32_t* total) {
  return place(kLargestFirst, buffers, count, alignment, workspace,
               workspace_bytes, total);
}

stowage_micro_status stowage_micro_check(const stowage_micro_buffer* buffers,
                                         uint32_t count, uint32_t alignment,
                                         uint32_t capacity,
                                         uint32_t witness[2]) {
  return check_buffers(buffers, count, alignment, capacity, witness);
}
