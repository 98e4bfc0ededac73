// SPDX-License-Identifier: Apache-2.0
// Reads and writes problems with parameters as JSON files, which may also
// contain a plan for all values (docs/dynamic.md). For problems with fixed
// sizes, use io/problem_file.h.
//
//   FileOptions options;
//   options.formats = {DynamicFormat("seq=128")};
//   StatusOr<ProblemFile> file = ReadProblemFile("dyn.json", options);
#ifndef STOWAGE_DYNAMIC_DYNAMIC_FILE_H_
#define STOWAGE_DYNAMIC_DYNAMIC_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/io/problem_file.h"

namespace stowage {

// A problem, and a plan for it if the file contains one.
struct DynamicFile {
  DynamicSpec problem;
  // The order in which records are stacked, from the bottom to the top. Empty
  // if the file contains no order.
  std::vector<size_t> order = {};
  // Expressions for the offset of each record, which a file may contain instead
  // of an order. Empty if the file contains no expressions.
  std::vector<std::string> offsets = {};
  optional<size_t> reserve = nullopt;  // the reserve that the file states
  // `worst` is the value with the largest ratio of height to need (HeightAt),
  // such as "seq=16", and `ratio` is this ratio, such as "47/45". The file
  // contains both as information for people; this library does not check them.
  std::string ratio = {};
  std::string worst = {};
};

// Parses a file. `name` is the name of the file in messages. Errors name the
// line and the value, as in "FILE:LINE: records[1].size: ...":
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of the wrong type; an id that is used twice; an
//                      expression with an error
//   Unimplemented      a field of problem files that is not supported here
//   ResourceExhausted  too many values
StatusOr<DynamicFile> ParseDynamicJson(string_view json, string_view name);

// Parses a file and creates its problem. Errors: those of ParseDynamicJson;
// those of DynamicProblem::Create, with the line of the size, the parameter or
// the limit.
StatusOr<DynamicProblem> ReadDynamicProblem(string_view json, string_view name,
                                            DynamicFile* file);

// Returns the file as JSON, with one record on each line. ParseDynamicJson
// parses this text to the same file.
std::string FormatDynamicJson(const DynamicFile& file);

// Returns a file with the problem and the plan.
DynamicFile FileOfPlan(const DynamicProblem& problem, const DynamicPlan& plan);

// Returns whether a file that begins with `start` is a JSON object with the key
// "parameters" or "scenarios". O(start).
bool IsDynamic(string_view start);

// Returns the problem and the plan of a file at the value `at` of the
// parameters. The sizes are those at this value, and the offsets are computed
// from the order or the formulas. Errors: those of DynamicProblem::ParseValues
// and StackPlan::Create; InvalidArgument if a formula has no result at this
// value.
StatusOr<ProblemFile> ProblemFileAt(const DynamicProblem& problem,
                                    const DynamicFile& file, string_view at);

// Returns a format that lets ReadProblemFile read problems with parameters,
// with the sizes at the value `at` (DynamicProblem::ParseValues). If `at` is
// not set, reading a file fails with InvalidArgument, and the message shows a
// possible value with the names of all parameters.
FileFormat DynamicFormat(const optional<std::string>& at = nullopt);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_DYNAMIC_FILE_H_
