// SPDX-License-Identifier: Apache-2.0
// Declares, for C, the in-place planner of src/micro/place.h for 64-bit
// numbers.
#ifndef STOWAGE_SRC_C_PLACE_RECORDS_H_
#define STOWAGE_SRC_C_PLACE_RECORDS_H_

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): this is C.
#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/c/solve.h"
#include "stowage/micro/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Implements stowage_plan_in_place(). After an error in the records, `witness`
// has the indices of the records at fault, or UINT32_MAX twice if no record is
// at fault. Requires that `total` is not null and that `count` is at most
// STOWAGE_MAX_IN_PLACE.
stowage_micro_status stowage_place_records(stowage_placed_record* records,
                                           size_t count, uint64_t alignment,
                                           void* workspace,
                                           size_t workspace_bytes,
                                           uint64_t* total,
                                           uint32_t witness[2]);

#ifdef __cplusplus
}
#endif

#endif  // STOWAGE_SRC_C_PLACE_RECORDS_H_
