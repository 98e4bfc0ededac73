// SPDX-License-Identifier: Apache-2.0
// Combines several programs into one program with one arena: programs that run
// one after the other, programs that alternate, or programs of which only one
// runs at a time. If only one of several programs runs at a time and no program
// hands tensors to another, these functions are not needed: make the programs
// entries of one program.
#ifndef STOWAGE_PROGRAMS_COMBINE_H_
#define STOWAGE_PROGRAMS_COMBINE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/program.h"

namespace stowage {

// A hand-over: an output of one program becomes an input of a later program.
// The output and the input belong to entry 0 of their programs.
struct HandOver {
  size_t from = 0;    // a program
  size_t output = 0;  // an index in the outputs of its entry
  size_t to = 0;      // a program that runs later
  size_t input = 0;   // an index in the inputs of its entry
};

// A checked program, and the name that identifies its functions in the combined
// program.
struct NamedProgram {
  std::string name;
  Program program;
};

// Returns a program with one entry, which runs the entries of the programs one
// after the other. An input is live from the call of its program on. An output
// is live until the next program begins or, if the output is handed over, until
// the program that reads it has run. Error: InvalidArgument if
//
// - a program has several entries or carried outputs,
// - a hand-over names an output or an input that does not exist,
// - the output and the input of a hand-over have different sizes,
// - a hand-over does not lead to a later program, or
// - two hand-overs have the same input.
//
// O(programs).
StatusOr<Program> InSequence(Span<const NamedProgram> programs,
                             Span<const HandOver> hand_overs = {});

// Returns a program with one entry, which alternates between the nodes of all
// entries: it runs the first node of each entry, then the second node of each,
// and so on. Error: InvalidArgument if a program has several entries or carried
// outputs. O(programs).
StatusOr<Program> Interleaved(Span<const NamedProgram> programs);

// Returns a program that has the entries of all given programs, of which only
// one runs at a time. Variables with the same id become one variable. Error:
// InvalidArgument if variables with the same id have different sizes.
// O(programs).
StatusOr<Program> OneAtATime(Span<const NamedProgram> programs);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_COMBINE_H_
