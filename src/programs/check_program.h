// SPDX-License-Identifier: Apache-2.0
// Checks a program like CheckProgram (stowage/programs/program.h), but also
// returns the function and the node that are invalid. The reader of program
// files uses them to report the line of the error.
#ifndef STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
#define STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/programs/program.h"

namespace stowage {

// The function and the node to which an error refers. `function` is nullopt if
// the error refers to the whole program. `node` is nullopt if the error refers
// to the whole function or the whole program.
struct ProgramPlace {
  optional<size_t> function = nullopt;
  optional<size_t> node = nullopt;
};

// Returns the same status as CheckProgram(program). On error, also sets
// `*place`.
Status CheckProgram(const Program& program, ProgramPlace* place);

}  // namespace stowage

#endif  // STOWAGE_SRC_PROGRAMS_CHECK_PROGRAM_H_
