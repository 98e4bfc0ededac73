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
  // `problem` has one record for each row without gaps. A row with gaps has one
  // record for each part of the buffer, and these records form a group. If the
  // file has negative tasks, the lowest task of the file becomes task 0 in
  // `problem`.
  ProblemSpec problem;
  // For each row, the record that begins at the first byte of the buffer.
  std::vector<size_t> starts;
  // The header and the rows as they are in the file, in the same order, but
  // without the column `offset` if there is one.
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
// Tasks may be negative, except in `gaps`. Error: InvalidArgument for a column
// that is missing or repeated, for a row with a different number of fields than
// the header, and for a value that is not a number or is out of range. Messages
// have the form "NAME:LINE: WHAT; expected ...". O(bytes).
StatusOr<MinimallocFile> ParseMinimallocCsv(string_view csv, string_view name);

// Returns the file with an additional last column, `offset`. Requires an offset
// for every record of `file.problem`. O(bytes).
std::string FormatMinimallocPlan(const MinimallocFile& file,
                                 const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_MINIMALLOC_FILE_H_
