// SPDX-License-Identifier: Apache-2.0
// Executes programs on the bytes of a plan. Every byte remembers which value
// was written to it, and every read checks its bytes. The machine follows the
// functions of a program instead of the program's points
// (src/programs/points.cc), so it also checks the points.
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

// Holds the parts of a plan that a machine needs.
struct MachinePlan {
  std::vector<optional<size_t>> offsets;  // by slot
  // True if arguments are copied to the inputs of functions.
  bool copies_arguments = false;
  // True if the machine makes a mistake on purpose: it runs the copies of a
  // point one after the other in their listed order.
  bool copies_in_order = false;
};

// Runs some invocations of the entries. `seed` decides the entries, the
// branches, and the number of iterations of each loop (0 to 3). Returns the
// first fault, or an empty text.
std::string RunOnBytes(const Program& program, const MachinePlan& plan,
                       uint64_t seed);

// Returns the parts of a planned program that a machine needs.
MachinePlan MachinePlanOf(const PlannedProgram& planned, ProgramCopies copies);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROGRAMS_BYTE_MACHINE_H_
