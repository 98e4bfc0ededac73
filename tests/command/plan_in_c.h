// SPDX-License-Identifier: Apache-2.0
// A header that the command has written, as a program in C has it.
#ifndef STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_
#define STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_

#include "stowage/micro/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of stowage_micro_check() within the arena that the header asks for.
stowage_micro_status stowage_check_keyword_plan(void);

#ifdef __cplusplus
}
#endif

#endif  // STOWAGE_TESTS_COMMAND_PLAN_IN_C_H_
