// SPDX-License-Identifier: Apache-2.0
// Matches the rows of a plan file with the records of its problem, by id. A
// separate plan file may list its rows in any order, and may omit sizes and
// lifetimes (CsvOptions::accept_places_alone). If the plan is in the same file
// as its problem, use problem_file.h; no matching is needed.
//
//   AddRecords(problem, &plan.problem);
//   const StatusOr<std::vector<size_t>> rows =
//       MatchRows(problem, "net.csv", plan.problem, "plan.csv");
//   if (!rows.ok()) return rows.status();
//   plan.plan.offsets = InRecordOrder(plan.plan.offsets, *rows);
#ifndef STOWAGE_IO_MATCH_ROWS_H_
#define STOWAGE_IO_MATCH_ROWS_H_

#include <cstddef>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"

namespace stowage {

// Copies the problem's records into a plan that has only ids and places
// (CsvOptions::accept_places_alone). Each row of the plan gets the record with
// the same id, or an empty record if the problem has no such id. Does nothing
// if the plan already has records. O(n).
void AddRecords(const ProblemSpec& problem, ProblemSpec* plan);

// Returns, for each record of the problem, the index of the plan's row with the
// same id. Error messages refer to the two files as `problem_name` and
// `plan_name`. Error: InvalidArgument if the plan belongs to a different
// problem, that is, if an id occurs in only one of the two files, or if an
// interval or a size differs. O(n).
StatusOr<std::vector<size_t>> MatchRows(const ProblemSpec& problem,
                                        string_view problem_name,
                                        const ProblemSpec& plan,
                                        string_view plan_name);

// Returns the entries of `column`, a column of the plan, in the order of the
// problem's records. Requires that MatchRows returned `rows`. O(n).
std::vector<size_t> InRecordOrder(const std::vector<size_t>& column,
                                  const std::vector<size_t>& rows);

}  // namespace stowage

#endif  // STOWAGE_IO_MATCH_ROWS_H_
