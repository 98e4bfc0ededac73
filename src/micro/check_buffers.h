// SPDX-License-Identifier: Apache-2.0
// Checks placed buffers, for all C planners of the library. The including file
// must first define the types and constants of its buffers that place.h lists.
#ifndef STOWAGE_SRC_MICRO_CHECK_BUFFERS_H_
#define STOWAGE_SRC_MICRO_CHECK_BUFFERS_H_

#include <stddef.h>
#include <stdint.h>

#include "src/micro/place.h"
#include "stowage/micro/status.h"

// Checks buffers, as described for stowage_micro_check().
static stowage_micro_status check_buffers(const place_buffer* buffers,
                                          uint32_t count, place_bytes alignment,
                                          place_bytes capacity,
                                          uint32_t witness[2]) {
  stowage_micro_status status = STOWAGE_MICRO_OK;
  const place_bytes mask = alignment - 1;
  if ((alignment & mask) != 0 || alignment == 0) {
    return STOWAGE_MICRO_BAD_ALIGNMENT;
  }
  if (buffers == NULL && count > 0) return STOWAGE_MICRO_NULL_ARGUMENT;
  for (uint32_t i = 0; i < count; ++i) {
    const place_buffer* const b = &buffers[i];
    const place_bytes offset = b->offset;
    const place_bytes size = padded_size(b, mask);
    const place_bytes end = offset + size;
    stowage_micro_status found = STOWAGE_MICRO_OK;
    uint32_t j = i;
    if (b->first_task > b->last_task) {
      found = STOWAGE_MICRO_REVERSED_LIFETIME;
    } else if (size < b->size || (offset != PLACE_UNPLACED && end < size)) {
      found = STOWAGE_MICRO_OVERFLOW;
    } else if (offset == PLACE_UNPLACED) {
      if (status != STOWAGE_MICRO_OK) continue;
      found = STOWAGE_MICRO_UNPLACED_BUFFER;
    } else if ((offset & mask) != 0) {
      found = STOWAGE_MICRO_MISALIGNED_OFFSET;
    } else if (end > capacity) {
      found = STOWAGE_MICRO_CAPACITY_EXCEEDED;
    }
    while (found == STOWAGE_MICRO_OK && j-- > 0) {
      const place_buffer* const a = &buffers[j];
      // A buffer without an offset has the largest offset, so it is above all
      // other buffers and overlaps none of them. An empty buffer does not
      // overlap any other buffer, either.
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

#endif  // STOWAGE_SRC_MICRO_CHECK_BUFFERS_H_
