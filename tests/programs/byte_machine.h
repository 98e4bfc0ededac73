// SPDX-License-Identifier: Apache-2.0
// Executes programs on the bytes of a plan: every byte holds which value was
// written there, and every read checks its bytes. It follows the functions of a
// program and not its points (src/programs/points.cc), so that it is a check of
// these, too.
#ifndef STOWAGE_TESTS_PROGRAMS_BYTE_MACHINE_H_
#define STOWAGE_TESTS_PROGRAMS_BYTE_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"

namespace stowage {

// What a machine needs to know of a plan.
struct MachinePlan {
  std::vector<optional<size_t>> offsets;  // by slot
  // True if arguments are copied to the inputs of functions.
  bool copies_arguments = false;
  // True if the copies of a point run in the order in which they are listed,
  // which is wrong.
  bool copies_in_order = false;
};

// Runs some invocations of the entries, with branches, turns of loops (0 to 3)
// and entries that `seed` decides. Returns the first fault, or an empty text.
std::string RunOnBytes(const Program& program, const MachinePlan& plan,
                       uint64_t seed);

// Returns what a machine needs to know of a planned program.
MachinePlan MachinePlanOf(const PlannedProgram& planned, ProgramCopies copies);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROGRAMS_BYTE_MACHINE_H_
