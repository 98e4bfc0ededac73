// SPDX-License-Identifier: Apache-2.0
// Problem files: usage records with all their constraints, as JSON. For records
// whose constraints are their own, CSV (trace.h) does and is easier to read.
//
//   {"records": [{"id": "a", "size": 64, "lower": 0, "upper": 2},
//                {"id": "b", "size": 16, "lower": 1, "upper": 3}],
//    "never": [["a", "b"]], "capacity": 1024}
//
// Intervals are half-open, as in every file. docs/problem-format.md has all
// fields. A file is read as a Trace, so that whatever takes one takes a
// problem; errors are "FILE:LINE: records[3].size: WHAT; expected ...".
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

// The longest file that is read.
constexpr size_t kMaxProblemBytes = size_t{1} << 30;

// Parses a problem. With a partial order each interval is the hull of the users
// of its record. `name` stands for the file in messages. What the constraints
// ask for is not checked: Problem::Create (problem.h) does. Errors:
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of another type; an id or a pool that is not there
//   Unimplemented      "order": "free"; ParseProblemFile reads it
//   ResourceExhausted  more than kMaxProblemBytes; an order that is too wide
// O(bytes), and what TaskOrder takes.
absl::StatusOr<Trace> ParseProblemJson(absl::string_view json,
                                       absl::string_view name);

// A problem whose order may be free.
struct ProblemFile {
  // With a free order the interval of a record is the hull of its users, which
  // is not how it lives.
  Trace trace;
  // What plans choose an order of (order_planner.h); nothing if it is given.
  absl::optional<FreeOrder> free_order;
  // Of a plan: the order that it has chosen, as the file has it; empty if it
  // has none.
  std::vector<TaskId> execution_order;
};

// Parses a problem, also one whose order is free. Errors: those of
// ParseProblemJson but for Unimplemented, and of CheckFreeOrder.
absl::StatusOr<ProblemFile> ParseProblemFile(absl::string_view json,
                                             absl::string_view name);

// Reads a problem from a file, or from standard input if the path is "-".
// Errors: those of ParseProblemJson, and of opening a file as for ReadTraceCsv.
absl::StatusOr<Trace> ReadProblemJson(const std::string& path);
absl::StatusOr<ProblemFile> ReadProblemFile(const std::string& path);

// The problem as JSON, a record on each line; parsing it gives the same trace,
// without lists that ask for nothing, and with \xNN for bytes of names that are
// not UTF-8. Errors: those of FormatTraceCsv, but for
// what CSV cannot say; InvalidArgument if an interval is not the hull of the
// users of its record. O(bytes).
absl::StatusOr<std::string> FormatProblemJson(const Trace& trace);
// The same, with a free order and its execution order if there are any; each
// interval then is the hull of the users of its record.
absl::StatusOr<std::string> FormatProblemFile(const ProblemFile& file);

}  // namespace stowage

#endif  // STOWAGE_PROBLEM_FILE_H_
