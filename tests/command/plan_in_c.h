// SPDX-License-Identifier: Apache-2.0
// Checks the plan in a header that the command has written. The check is
// written in C, like most programs for devices.
#ifndef STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_
#define STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_

#include "stowage/micro/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checks the plan in the header with stowage_micro_check(), for an arena of the
// size that the header requires. Returns the result.
stowage_micro_status stowage_check_keyword_plan(void);

#ifdef __cplusplus
}
#endif

#endif  // STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_
