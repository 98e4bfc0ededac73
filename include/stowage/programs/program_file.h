// SPDX-License-Identifier: Apache-2.0
// Reads and writes programs as JSON files: functions that call each other, and
// perhaps a plan for their tensors (docs/programs.md). For problems without
// functions, use io/problem_file.h.
//
//   FileOptions options;
//   options.formats = {ProgramFormat()};
//   StatusOr<ProblemFile> file = ReadProblemFile("loop.json", options);
//   file->problem.labels.program;  // not null for a program
//
// The problem of a program has a record for each run of points (points.h) at
// which a tensor needs its memory. Everything that plans, checks or shows
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

// Memory that the copies of a point need because they form a cycle.
struct ScratchMemory {
  uint32_t point = 0;
  size_t size = 0;    // in bytes
  size_t offset = 0;  // in the arena, in bytes
};

// A program and, if the file has one, a plan for it.
struct ProgramFile {
  Program program;
  ProgramOptions options;
  // The plan: an offset for each slot that needs memory. The list is empty if
  // the file has no plan.
  std::vector<optional<size_t>> offsets = {};
  std::vector<ScratchMemory> scratch = {};  // in rising order of points
};

// Says what the records and the tasks of a problem stand for, if the problem
// was made from a program (Labels::program). Tasks are points.
struct ProgramSource {
  Program program;
  ProgramOptions options;
  ProgramPoints points;
  // Has the slot of each record, except for the records of scratch memory,
  // which come after all other records.
  std::vector<SlotId> slots;
  // Has an entry for each slot. If the slot lies in the memory of a variable,
  // and therefore outside the arena, the entry is the slot of the variable.
  std::vector<optional<SlotId>> variables;
  // The point and the bytes of each record of scratch memory.
  std::vector<std::pair<uint32_t, size_t>> scratch;
};

// Parses a file. Messages call the file `name`. CheckProgram accepts the
// returned program. Errors name the line and the value, as in
// "FILE:LINE: functions[1].nodes[3].out[0]: ...":
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of the wrong type; those of CheckProgram
//   ResourceExhausted  too many values; too many points
StatusOr<ProgramFile> ParseProgramJson(string_view json, string_view name);

// Returns the file as JSON, with a tensor and a node on each line.
// ParseProgramJson parses this text to the same file. Requires a checked
// program.
std::string FormatProgramJson(const ProgramFile& file);

// Makes the problem of a checked program, and turns the plan of the file into a
// plan for the records of this problem. Errors: those of PointsOf;
// InvalidArgument if the plan has no offset for a slot that needs one.
StatusOr<ProblemFile> ProblemFileOf(ProgramFile file);

// Reverses ProblemFileOf: returns the program from which a problem was made,
// and the plan. Alignment and capacity are those of the problem. Requires
// labels.program.
ProgramFile ProgramFileOf(const ProblemFile& file);

// Returns the format of files that contain an object with "functions". If
// `copies` is given, it replaces ProgramOptions::copies of each file.
FileFormat ProgramFormat(optional<ProgramCopies> copies = nullopt);

// Returns whether the start of a file is an object of JSON that has the key
// "functions". O(start).
bool IsProgram(string_view start);

// Returns the offset of each slot, computed from the offsets of the records.
// Slots in the memory of variables lie above the arena. Error: OutOfRange if
// this memory would end beyond 2^64 - 1.
StatusOr<std::vector<optional<size_t>>> SlotOffsets(
    const ProgramSource& source, size_t alignment,
    Span<const size_t> record_offsets);

// Solves a problem with `solve`. If the problem was made from a program, copies
// under the plan may form cycles, which need scratch memory. In this case, this
// function adds records of scratch memory to *problem and solves the problem
// again, until no scratch memory is missing. Any other problem is solved once.
// Errors: those of `solve`; Internal if the plan of a program does not pass the
// check by values (verify_values.h).
StatusOr<Solution> SolveWithScratch(
    ProblemSpec* problem,
    const std::function<StatusOr<Solution>(const ProblemSpec&)>& solve);

struct CopiedBytes {
  size_t made = 0;  // the bytes that one pass over all points copies
  // The bytes that would be copied if every argument and every result were
  // copied.
  size_t possible = 0;
};

// Counts the bytes that a plan copies. Errors: those of PointsOf.
StatusOr<CopiedBytes> CountCopies(const ProgramSource& source,
                                  Span<const optional<size_t>> offsets);

// Returns the copies that a plan leaves out because the destination and the
// source lie in one place. Each copy is listed once, and the copies are in
// rising order.
std::vector<SlotCopy> CopiesLeftOut(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets);

// Checks a plan by the values in memory (verify_values.h), and checks that
// copies that form cycles have scratch memory. Returns a sentence about the
// first fault, or an empty string.
std::string DescribeProgramFault(const ProgramSource& source,
                                 Span<const optional<size_t>> offsets,
                                 Span<const ScratchMemory> scratch);

}  // namespace stowage

#endif  // STOWAGE_PROGRAMS_PROGRAM_FILE_H_
