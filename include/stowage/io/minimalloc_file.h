// SPDX-License-Identifier: Apache-2.0
// Reads and writes files by the rules of the solver MiniMalloc, for example
// that a blank line ends the file and that unknown columns are ignored. Users
// of MiniMalloc can thus replace it by Stowage. The command
// `stowage-minimalloc` uses this header. To read a file for any other purpose,
// use problem_file.h, which accepts the same columns but refuses unknown
// columns.
//
//   const StatusOr<MinimallocFile> file = ParseMinimallocCsv(text, "in.csv");
//   if (!file.ok()) return file.status();
//   const StatusOr<Problem> problem = Problem::Create(file->problem);
//   ...
//   FormatMinimallocPlan(*file, *solution->offsets());
#ifndef STOWAGE_IO_MINIMALLOC_FILE_H_
#define STOWAGE_IO_MINIMALLOC_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"

namespace stowage {

struct MinimallocFile {
  // `problem` has a record for each row. A row with gaps instead has a record
  // for each of its parts, and these records are one group. If the file has
  // negative tasks, its lowest task becomes task 0 here.
  ProblemSpec problem;
  // For each row, the record that begins at the first byte of the buffer.
  std::vector<size_t> starts;
  // The header and the rows as the file has them, in the order of the file,
  // without a column `offset`.
  std::string header;
  std::vector<std::string> rows;
};

// Parses a file. `name` stands for the file in messages. Rows are separated by
// line feeds, fields by commas, and nothing is quoted. A blank line ends the
// file. Columns, in any order:
//
//   id, buffer, buffer_id   any text, which may repeat
//   lower, begin, start     the first task
//   upper                   one past the last task
//   end                     the last task; replaces `upper`, and the ends of
//                           gaps are then also last tasks
//   size                    bytes
//   alignment               a power of two
//   gaps                    parts of the lifetime in which the buffer holds
//                           nothing ("7-9") or some bytes ("7-9@0:64")
//   offset                  an offset that the plan has to keep
//
// Any other column is ignored, including `hint`, which is only a preference.
// Tasks may be negative, except in `gaps`. Errors, all
// "NAME:LINE: WHAT; expected ...":
// InvalidArgument for a column that is missing or repeated, a row with a
// different number of fields than the header, and a value that is not a number
// or is out of range. O(bytes).
StatusOr<MinimallocFile> ParseMinimallocCsv(string_view csv, string_view name);

// Returns the file with an additional last column, `offset`. Requires an offset
// for every record of `file.problem`. O(bytes).
std::string FormatMinimallocPlan(const MinimallocFile& file,
                                 const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_MINIMALLOC_FILE_H_
