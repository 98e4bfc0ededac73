// SPDX-License-Identifier: Apache-2.0
// Replaces TensorFlow Lite Micro's header of the same name.
#ifndef STOWAGE_TESTS_MICRO_DECLARED_MICRO_MEMORY_PLANNER_H_
#define STOWAGE_TESTS_MICRO_DECLARED_MICRO_MEMORY_PLANNER_H_

#include "tests/micro/declared_planner.h"

#endif  // STOWAGE_TESTS_MICRO_DECLARED_MICRO_MEMORY_PLANNER_H_
