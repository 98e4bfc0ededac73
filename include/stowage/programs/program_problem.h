// SPDX-License-Identifier: Apache-2.0
// Plans all functions of a program in one arena. To plan a problem without
// calls, use planner.h.
//
//   StatusOr<PlannedProgram> plan = PlanProgram(program, "optimal", options);
//   plan->offsets[slot];
//
// Each slot (points.h) becomes a group of records, one for each run of points
// at which the slot needs its memory (live_runs.h). Each copy becomes a pair of
// records that either share one place or are apart
// (Constraints::same_or_apart). If the two records share one place, nothing
// needs to be copied. An output that may be computed in the place of an input
// also forms such a pair with this input.
#ifndef STOWAGE_PROGRAMS_PROGRAM_PROBLEM_H_
#define STOWAGE_PROGRAMS_PROGRAM_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Selects the copies between functions that a plan makes.
enum class ProgramCopies {
  kMade,    // all copies, including those of arguments
  kChosen,  // only copies without which the arena would be larger
  kNone,    // only copies that cannot be left out
};

// Returns "made", "chosen" or "none".
string_view ProgramCopiesName(ProgramCopies copies);

struct ProgramOptions {
  size_t alignment = 1;  // of every offset, in bytes; a power of two
  ProgramCopies copies = ProgramCopies::kChosen;
  // The expected number of iterations of a loop. Copies within the loop are
  // weighted by this number.
  uint64_t expected_turns = 16;
  // If true, variables are read and assigned in their own memory wherever
  // possible. If false, each read and each assignment copies the variable, and
  // carried inputs keep their values up to the end of the invocation
  // (PointOptions::keeps_carried_inputs). If `copies` is kMade, each read and
  // each assignment copies the variable in any case.
  bool state_in_place = true;
  optional<size_t> capacity = nullopt;  // in bytes, of the arena
};

// A problem that was made from a program.
struct ProgramProblem {
  ProblemSpec problem;
  ProgramPoints points;
  // The slot of each record.
  std::vector<SlotId> slots;
  // An entry for each slot: the slot of a variable if the slot is in the memory
  // of that variable, and therefore outside the arena; otherwise nullopt.
  std::vector<optional<SlotId>> variables;
};

// Makes the problem of a checked program. Each record has the name of its slot;
// the second and later runs of a slot have the suffix "#2", "#3" and so on.
// Labels::operators has the names of the points. Errors: those of PointsOf.
StatusOr<ProgramProblem> ProblemOfProgram(const Program& program,
                                          const ProgramOptions& options = {});

// A plan for all slots of a program.
struct PlannedProgram {
  ProgramPoints points;
  // The offset of each slot. Slots of 0 bytes, slots that are never needed, and
  // inputs that refer to arguments have no offset. Offsets from state_begin on
  // are in the memory of variables.
  std::vector<optional<size_t>> offsets;
  // The size of the arena in bytes, including scratch memory for copies that
  // form a cycle.
  size_t total_size = 0;
  // The points that need scratch memory because their copies form a cycle, in
  // rising order. For each of them, the offset of this memory in the arena.
  std::vector<std::pair<uint32_t, size_t>> scratch;
  // The memory of variables, which is outside the arena because variables
  // outlive every invocation. In `offsets`, this memory follows the arena as
  // bytes [state_begin, state_begin + state_bytes).
  size_t state_begin = 0;
  size_t state_bytes = 0;
  size_t copied_bytes = 0;    // the bytes that one pass over all points copies
  size_t possible_bytes = 0;  // the same number if all copies were made
  Solution solution;          // the solution of the problem
};

// Plans a program. Every returned plan has passed the check by values
// (stowage/verify_values.h). Errors: those of CheckProgram, PointsOf and Solve;
// Internal if a strategy made a plan that does not pass this check.
StatusOr<PlannedProgram> PlanProgram(const Program& program,
                                     string_view strategy,
                                     const ProgramOptions& options = {},
                                     const SolveOptions& solve = {});

// Returns the number of bytes that one pass over all points copies under a
// plan. A copy counts if its two slots have different offsets. `offsets` has an
// entry for every slot; if `offsets` is empty, all copies count. O(copies).
size_t CountCopiedBytes(const ProgramPoints& points,
                        Span<const optional<size_t>> offsets);

// A step of the sequence that performs all copies of a point. A step without a
// destination saves its source in scratch memory. A step without a source
// copies the saved value to its destination.
struct CopyStep {
  optional<SlotId> destination;
  optional<SlotId> source;
  size_t scratch = 0;  // the place in scratch memory, in bytes from its start
};

struct CopySequence {
  std::vector<CopyStep> steps;
  size_t scratch_bytes = 0;
};

// Orders the copies of a point so that each source is read before its bytes are
// overwritten. A copy is left out if its destination and its source have the
// same offset. If copies form a cycle, one value of the cycle is saved in
// scratch memory. Slots are compared by the bytes that they share, not by their
// ids. O(copies^2).
CopySequence SequenceCopies(const ProgramPoints& points,
                            Span<const SlotCopy> copies,
                            Span<const optional<size_t>> offsets);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_PROGRAM_PROBLEM_H_
