// SPDX-License-Identifier: Apache-2.0
#include "src/c/place_records.h"

#include <stddef.h>
#include <stdint.h>

#include "src/c/placed_records.h"
#include "src/micro/check_buffers.h"
#include "src/micro/place.h"

stowage_micro_status stowage_place_records(stowage_placed_record* records,
                                           size_t count, uint64_t alignment,
                                           void* workspace,
                                           size_t workspace_bytes,
                                           uint64_t* total,
                                           uint32_t witness[2]) {
  const stowage_micro_status status =
      place(kLargestFirst, records, (uint32_t)count, alignment, workspace,
            workspace_bytes, total);
  switch (status) {
    case STOWAGE_MICRO_REVERSED_LIFETIME:
    case STOWAGE_MICRO_MISALIGNED_OFFSET:
    case STOWAGE_MICRO_OVERFLOW:
    case STOWAGE_MICRO_OVERLAP:
      // The records have not changed, so this check finds the same error and
      // sets `witness`. The check finds a different one only if the error is
      // that the arena is too large, and no record is at fault for this error.
      if (check_buffers(records, (uint32_t)count, alignment, STOWAGE_NONE,
                        witness) != status) {
        witness[0] = witness[1] = UINT32_MAX;
      }
      break;
    default:
      break;
  }
  return status;
}
