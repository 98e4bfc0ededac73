// SPDX-License-Identifier: Apache-2.0
// Declares C functions that use generated headers. `stowage offline header
// --stack` writes these headers.
#ifndef STOWAGE_TESTS_COMMAND_STACK_IN_C_H_
#define STOWAGE_TESTS_COMMAND_STACK_IN_C_H_

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): this is C.
#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Computes the sizes of the dynamic problem for the given parameter values, and
// places the tensors in the order of the plan. Returns 0 on an error, for
// example if the values are refused.
int stowage_stack_dynamic(int64_t batch, int64_t extent, int64_t row,
                          size_t sizes[4], size_t offsets[4], size_t* total);
// Does the same for a scenario of the other problem.
int stowage_stack_scenario(uint32_t scenario, size_t sizes[2],
                           size_t offsets[2], size_t* total);

#ifdef __cplusplus
}
#endif

#endif  // STOWAGE_TESTS_COMMAND_STACK_IN_C_H_
