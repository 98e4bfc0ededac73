// SPDX-License-Identifier: Apache-2.0
// Checks a program like stowage/programs/program.h, and says where it failed,
// for readers of files that know the line of each node.
#ifndef STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
#define STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/programs/program.h"

namespace stowage {

// The function that an error is about, and its node. nullopt if it is about the
// whole program, or the whole function.
struct ProgramPlace {
  optional<size_t> function = nullopt;
  optional<size_t> node = nullopt;
};

// Returns what CheckProgram(program) returns. After an error sets *place.
Status CheckProgram(const Program& program, ProgramPlace* place);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
