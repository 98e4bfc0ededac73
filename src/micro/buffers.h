// SPDX-License-Identifier: Apache-2.0
// Defines the types and constants that place.h requires, for the buffers of
// stowage/micro/plan.h. Include this header before place.h.
#ifndef STOWAGE_SRC_MICRO_BUFFERS_H_
#define STOWAGE_SRC_MICRO_BUFFERS_H_

#include <stddef.h>
#include <stdint.h>

#include "stowage/micro/plan.h"

typedef stowage_micro_buffer place_buffer;
typedef uint32_t place_bytes;
typedef uint16_t place_index;
#define PLACE_UNPLACED STOWAGE_MICRO_UNPLACED
#define PLACE_MAX_BUFFERS STOWAGE_MICRO_MAX_BUFFERS
#define PLACE_WORKSPACE_BYTES(count) \
  STOWAGE_MICRO_WORKSPACE_BYTES((size_t)(count))
#define PLACE_CHECK stowage_micro_check

#endif  // STOWAGE_SRC_MICRO_BUFFERS_H_
