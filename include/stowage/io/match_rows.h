// SPDX-License-Identifier: Apache-2.0
// Matches the rows of a plan file with the records of its problem, by id. A
// plan in a file of its own may have its rows in any order, and may leave out
// sizes and lifetimes (CsvOptions::accept_places_alone). A plan in the same
// file as its problem needs no matching (problem_file.h).
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

// Adds records to a plan that has only ids and places
// (CsvOptions::accept_places_alone). Each row gets a copy of the problem's
// record with the same id, or an empty record if the problem has no such id. If
// the plan already has records, nothing is added. O(n).
void AddRecords(const ProblemSpec& problem, ProblemSpec* plan);

// Returns for every record of the problem the row of the plan with the same id.
// `problem_name` and `plan_name` stand for the files in messages. Error:
// InvalidArgument if the plan belongs to a different problem: if an id occurs
// in only one of the two files, or if an interval or a size differs. O(n).
StatusOr<std::vector<size_t>> MatchRows(const ProblemSpec& problem,
                                        string_view problem_name,
                                        const ProblemSpec& plan,
                                        string_view plan_name);

// Returns `column`, which is a column of the plan, with its entries in the
// order of the problem's records. `rows` is a result of MatchRows. O(n).
std::vector<size_t> InRecordOrder(const std::vector<size_t>& column,
                                  const std::vector<size_t>& rows);

}  // namespace stowage

#endif  // STOWAGE_IO_MATCH_ROWS_H_
