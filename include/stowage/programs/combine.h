// SPDX-License-Identifier: Apache-2.0
// Makes one program of several, whose tensors then share one arena: models that
// run one after the other, or alternately. Programs of which only one runs at a
// time and that hand nothing on need no call of these functions: they are
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

// An output of one program that is an input of a later one. Both are those of
// entry 0.
struct HandOver {
  size_t from = 0;    // a program
  size_t output = 0;  // an index in the outputs of its entry
  size_t to = 0;      // a program that runs later
  size_t input = 0;   // an index in the inputs of its entry
};

// A checked program, with a name for the functions that are made of it.
struct NamedProgram {
  std::string name;
  Program program;
};

// Returns a program whose entry runs the entries of the programs one after the
// other. An input is live from the call of its program, and an output until the
// next program begins, unless it is handed over: then it is live until the
// program that reads it has run. Errors: InvalidArgument for a hand-over that
// names no output or input, or an earlier program, or unequal sizes, or an
// input twice; for a program with several entries or carried outputs.
// O(programs).
StatusOr<Program> InSequence(Span<const NamedProgram> programs,
                             Span<const HandOver> hand_overs = {});

// Returns a program whose entry runs the nodes of the programs' entries
// alternately: the first node of each, then the second of each, and so on.
// Errors: InvalidArgument for a program with several entries or carried
// outputs. O(programs).
StatusOr<Program> Interleaved(Span<const NamedProgram> programs);

// Returns a program that has the entries of all programs, of which one runs at
// a time. Variables of the same id are one variable. Error: InvalidArgument for
// variables of the same id and other sizes. O(programs).
StatusOr<Program> OneAtATime(Span<const NamedProgram> programs);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_COMBINE_H_
