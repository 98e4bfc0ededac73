// SPDX-License-Identifier: Apache-2.0
// Generates programs with all features that programs can have: branches, loops,
// calls within calls, functions that several nodes call, functions that run
// once, outputs that are also inputs of the function, outputs in place, views,
// temporaries, constants, variables, several entries, and outputs that become
// inputs of the next invocation.
#ifndef STOWAGE_TESTS_PROGRAMS_RANDOM_PROGRAM_H_
#define STOWAGE_TESTS_PROGRAMS_RANDOM_PROGRAM_H_

#include <cstdint>

#include "stowage/programs/program.h"

namespace stowage {

// Returns a small program that CheckProgram accepts. The same seed always gives
// the same program.
Program RandomProgram(uint64_t seed);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROGRAMS_RANDOM_PROGRAM_H_
