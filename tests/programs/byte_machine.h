// SPDX-License-Identifier: Apache-2.0
// Executes programs on the bytes of a plan. Every byte remembers which value
// was written to it, and every read checks its bytes. The machine follows the
// functions of a program rather than the program's points
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

// The parts of a plan that a machine needs.
struct MachinePlan {
  std::vector<optional<size_t>> offsets;  // by slot
  // True if arguments are copied to the inputs of the called functions.
  bool copies_arguments = false;
  // True if the machine deliberately makes a mistake: it performs the copies of
  // a point one after another, in their listed order.
  bool copies_in_order = false;
};

// Runs several invocations of the entries. `seed` determines the entries, the
// branches and the number of iterations of each loop (0 to 3). Returns a
// description of the first fault, or an empty string.
std::string RunOnBytes(const Program& program, const MachinePlan& plan,
                       uint64_t seed);

// Returns the parts of a planned program that a machine needs.
MachinePlan MachinePlanOf(const PlannedProgram& planned, ProgramCopies copies);

}  // namespace stowage

#endif  // STOWAGE_TESTS_PROGRAMS_BYTE_MACHINE_H_
