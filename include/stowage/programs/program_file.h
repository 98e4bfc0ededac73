// SPDX-License-Identifier: Apache-2.0
// Reads and writes programs as JSON files (docs/programs.md). A file has
// functions that call each other and, optionally, a plan for their tensors. For
// problems without functions, use io/problem_file.h.
//
//   FileOptions options;
//   options.formats = {ProgramFormat()};
//   StatusOr<ProblemFile> file = ReadProblemFile("loop.json", options);
//   file->problem.labels.program;  // not null for a program
//
// The problem of a program has a record for each run of points (points.h) at
// which a tensor needs its memory. All code that plans, checks or shows
// problems therefore also works for programs.
#ifndef STOWAGE_PROGRAMS_PROGRAM_FILE_H_
#define STOWAGE_PROGRAMS_PROGRAM_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"

namespace stowage {

// Scratch memory that a point needs because its copies form a cycle.
struct ScratchMemory {
  uint32_t point = 0;
  size_t size = 0;    // in bytes
  size_t offset = 0;  // in the arena, in bytes
};

// A program and, if the file has one, its plan.
struct ProgramFile {
  Program program;
  ProgramOptions options;
  // The plan: an offset for each slot that needs memory. Empty if the file has
  // no plan.
  std::vector<optional<size_t>> offsets = {};
  std::vector<ScratchMemory> scratch = {};  // in rising order of points
};

// The program from which a problem was made (Labels::program), and the slots
// that the records of the problem represent. The tasks of the problem are the
// points of the program.
struct ProgramSource {
  Program program;
  ProgramOptions options;
  ProgramPoints points;
  // The slot of each record, except for the records of scratch memory, which
  // come after all other records.
  std::vector<SlotId> slots;
  // An entry for each slot: the slot of a variable if the slot is in the memory
  // of that variable, and therefore outside the arena; otherwise nullopt.
  std::vector<optional<SlotId>> variables;
  // The point and the size in bytes of each record of scratch memory.
  std::vector<std::pair<uint32_t, size_t>> scratch;
};

// Parses a file. CheckProgram accepts every program that this function returns.
// Error messages refer to the file as `name`, and name the line and the value,
// as in "FILE:LINE: functions[1].nodes[3].out[0]: ...":
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of the wrong type; those of CheckProgram
//   ResourceExhausted  too many values; too many points
StatusOr<ProgramFile> ParseProgramJson(string_view json, string_view name);

// Returns the file as JSON, with a tensor and a node on each line.
// ParseProgramJson parses this text to the same file. Requires a checked
// program.
std::string FormatProgramJson(const ProgramFile& file);

// Makes the problem of a checked program, and converts the plan of the file to
// a plan for the records of this problem. Errors: those of PointsOf;
// InvalidArgument if the plan has no offset for a slot that needs an offset.
StatusOr<ProblemFile> ProblemFileOf(ProgramFile file);

// The inverse of ProblemFileOf: returns the program from which a problem was
// made, and its plan. The alignment and the capacity are those of the problem.
// Requires labels.program.
ProgramFile ProgramFileOf(const ProblemFile& file);

// Returns the format of JSON files that contain an object with "functions". If
// `copies` is given, it overrides ProgramOptions::copies of each file.
FileFormat ProgramFormat(optional<ProgramCopies> copies = nullopt);

// Returns whether a file begins with a JSON object that has the key
// "functions". O(start).
bool IsProgram(string_view start);

// Returns the offset of each slot, computed from the offsets of the records.
// The memory of variables is above the arena. Error: OutOfRange if this memory
// would end beyond 2^64 - 1.
StatusOr<std::vector<optional<size_t>>> SlotOffsets(
    const ProgramSource& source, size_t alignment,
    Span<const size_t> record_offsets);

// Solves a problem with `solve`. If the problem was made from a program, the
// copies that remain under the plan may form cycles, and these copies need
// scratch memory. This function then adds records of scratch memory to *problem
// and solves the problem again, until no scratch memory is missing. Any other
// problem is solved once. Errors: those of `solve`; Internal if the plan of a
// program does not pass the check by values (verify_values.h).
StatusOr<Solution> SolveWithScratch(
    ProblemSpec* problem,
    const std::function<StatusOr<Solution>(const ProblemSpec&)>& solve);

struct CopiedBytes {
  size_t made = 0;  // the bytes that one pass over all points copies
  // The number of bytes that would be copied if every argument and every result
  // were copied.
  size_t possible = 0;
};

// Counts the bytes that a plan copies. Errors: those of PointsOf.
StatusOr<CopiedBytes> CountCopies(const ProgramSource& source,
                                  Span<const optional<size_t>> offsets);

// Returns the copies that a plan makes unnecessary, because the destination and
// the source are in one place. The copies are in rising order, without
// duplicates.
std::vector<SlotCopy> CopiesLeftOut(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets);

// Checks a plan by the values in memory (verify_values.h), and checks that
// copies that form cycles have scratch memory. Returns a description of the
// first fault, or an empty string if there is none.
std::string DescribeProgramFault(const ProgramSource& source,
                                 Span<const optional<size_t>> offsets,
                                 Span<const ScratchMemory> scratch);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_PROGRAM_FILE_H_
