// SPDX-License-Identifier: Apache-2.0
#include "stowage/micro/plan.h"

#include <stddef.h>
#include <stdint.h>

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
  stowage_micro_status status = STOWAGE_MICRO_OK;
  const uint32_t mask = alignment - 1;
  if ((alignment & mask) != 0 || alignment == 0) {
    return STOWAGE_MICRO_BAD_ALIGNMENT;
  }
  if (buffers == NULL && count > 0) return STOWAGE_MICRO_NULL_ARGUMENT;
  for (uint32_t i = 0; i < count; ++i) {
    const stowage_micro_buffer* const b = &buffers[i];
    const uint32_t offset = b->offset;
    const uint32_t size = padded_size(b, mask);
    const uint32_t end = offset + size;
    stowage_micro_status found = STOWAGE_MICRO_OK;
    uint32_t j = i;
    if (b->first_task > b->last_task) {
      found = STOWAGE_MICRO_REVERSED_LIFETIME;
    } else if (size < b->size ||
               (offset != STOWAGE_MICRO_UNPLACED && end < size)) {
      found = STOWAGE_MICRO_OVERFLOW;
    } else if (offset == STOWAGE_MICRO_UNPLACED) {
      if (status != STOWAGE_MICRO_OK) continue;
      found = STOWAGE_MICRO_UNPLACED_BUFFER;
    } else if ((offset & mask) != 0) {
      found = STOWAGE_MICRO_MISALIGNED_OFFSET;
    } else if (end > capacity) {
      found = STOWAGE_MICRO_CAPACITY_EXCEEDED;
    }
    while (found == STOWAGE_MICRO_OK && j-- > 0) {
      const stowage_micro_buffer* const a = &buffers[j];
      // A buffer without an offset has the largest offset, so that it lies
      // above all others and overlaps none. An empty buffer overlaps none
      // either.
      if (a->first_task <= b->last_task && b->first_task <= a->last_task &&
          a->offset < end && offset < a->offset + a->size && size != 0 &&
          a->size != 0) {
        found = STOWAGE_MICRO_OVERLAP;
      }
    }
    if (found == STOWAGE_MICRO_OK) continue;
    status = found;
    witness[0] = j;
    witness[1] = i;
    if (found != STOWAGE_MICRO_UNPLACED_BUFFER) break;
  }
  return status;
}
