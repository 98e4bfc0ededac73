// SPDX-License-Identifier: Apache-2.0
// Checks a program like CheckProgram (stowage/programs/program.h), and also
// returns the function and the node that are wrong. With these, the reader of a
// program file can name the line of the error.
#ifndef STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
#define STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/programs/program.h"

namespace stowage {

// The function and the node that an error is about. `function` is nullopt if
// the error is about the whole program. `node` is nullopt if the error is about
// the whole function or the whole program.
struct ProgramPlace {
  optional<size_t> function = nullopt;
  optional<size_t> node = nullopt;
};

// Returns what CheckProgram(program) returns. After an error, sets *place.
Status CheckProgram(const Program& program, ProgramPlace* place);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
