// SPDX-License-Identifier: Apache-2.0
// Problem files: usage records with all their constraints, as JSON. If every
// constraint concerns a single record, a CSV file (trace.h) suffices and is
// easier to read.
//
//   {"records": [{"id": "a", "size": 64, "lower": 0, "upper": 2},
//                {"id": "b", "size": 16, "lower": 1, "upper": 3}],
//    "never": [["a", "b"]], "capacity": 1024}
//
// Intervals are half-open, as in every file. docs/problem-format.md describes
// all fields. A file is read as a Trace, so that every function that takes a
// trace also takes a problem. Errors read "FILE:LINE: records[3].size: WHAT;
// expected ...".
#ifndef STOWAGE_PROBLEM_FILE_H_
#define STOWAGE_PROBLEM_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/free_order.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage {

// The size of the largest file that is read.
constexpr size_t kMaxProblemBytes = size_t{1} << 30;

// Parses a problem. With a partial order each interval is the bounding interval
// of the users of its record. `name` stands for the file in messages. The
// constraints themselves are not checked; Problem::Create (problem.h) does
// that. Errors:
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of another type; an id or a pool that is not there
//   Unimplemented      "order": "free"; ParseProblemFile reads it
//   ResourceExhausted  more than kMaxProblemBytes; an order that is too wide
// O(bytes), plus the time of TaskOrder.
absl::StatusOr<Trace> ParseProblemJson(absl::string_view json,
                                       absl::string_view name);

// A problem whose order may be free.
struct ProblemFile {
  // With a free order the interval of a record is the bounding interval of the
  // numbers of its users, and not its lifetime.
  Trace trace;
  // The tasks that the planner has to order (ProblemSpec::free_order); none if
  // the order of the tasks is given.
  absl::optional<FreeOrder> free_order;
  // The order that a plan has chosen, as the file has it; empty if there is
  // none.
  std::vector<TaskId> execution_order;
};

// Parses a problem whose order may be free. Errors: those of ParseProblemJson
// except Unimplemented, and those of CheckFreeOrder.
absl::StatusOr<ProblemFile> ParseProblemFile(absl::string_view json,
                                             absl::string_view name);

// Reads a problem from a file, or from standard input if the path is "-".
// Errors: those of ParseProblemJson, and of ReadTraceCsv for opening a file.
absl::StatusOr<Trace> ReadProblemJson(const std::string& path);
absl::StatusOr<ProblemFile> ReadProblemFile(const std::string& path);

// Returns the problem as JSON, with a record on each line. Parsing the result
// gives the same trace, except that lists that constrain nothing are left out
// and that bytes of names that are not UTF-8 become \xNN. Errors: those of
// FormatTraceCsv, except the ones for what CSV cannot express; InvalidArgument
// if an interval is not the bounding interval of the users of its record.
// O(bytes).
absl::StatusOr<std::string> FormatProblemJson(const Trace& trace);
// Returns a problem whose order may be free as JSON, in the format of
// FormatProblemJson. If there is a free order, the text also has this order and
// the execution order, and each interval must be the bounding interval of the
// users of its record. Errors: those of FormatProblemJson; InvalidArgument for
// a free order together with a partial order, and for an execution order
// without a free order.
absl::StatusOr<std::string> FormatProblemFile(const ProblemFile& file);

}  // namespace stowage

#endif  // STOWAGE_PROBLEM_FILE_H_
