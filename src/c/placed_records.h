// SPDX-License-Identifier: Apache-2.0
// Defines the types and constants that src/micro/place.h requires, for the
// records of stowage_plan_in_place(). Include this header before place.h.
#ifndef STOWAGE_SRC_C_PLACED_RECORDS_H_
#define STOWAGE_SRC_C_PLACED_RECORDS_H_

#include <stdint.h>

#include "stowage/c/solve.h"
#include "stowage/micro/status.h"

typedef stowage_placed_record place_buffer;
typedef uint64_t place_bytes;
typedef uint32_t place_index;
#define PLACE_UNPLACED STOWAGE_NONE
#define PLACE_MAX_BUFFERS STOWAGE_MAX_IN_PLACE
#define PLACE_WORKSPACE_BYTES(count) STOWAGE_WORKSPACE_BYTES(count)
#define PLACE_CHECK check_buffers

static stowage_micro_status check_buffers(const place_buffer* buffers,
                                          uint32_t count, place_bytes alignment,
                                          place_bytes capacity,
                                          uint32_t witness[2]);

#endif  // STOWAGE_SRC_C_PLACED_RECORDS_H_
