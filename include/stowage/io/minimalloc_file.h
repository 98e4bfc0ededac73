// SPDX-License-Identifier: Apache-2.0
// Reads and writes the files of the solver MiniMalloc as that solver does, so
// that its users can replace it by Stowage. The command `stowage-minimalloc`
// uses this header. To read a file for any other purpose use problem_file.h,
// which accepts the same columns but refuses unknown ones.
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
  // A record for each row. A row with gaps has a record for each of its parts
  // instead, which are one group. The first task of the file is task 0,
  // because the file may count from a negative number.
  ProblemSpec problem;
  // The record of each row that begins at the first byte of its buffer.
  std::vector<size_t> starts;
  // The header and the rows as the file has them, in its order, without a
  // column `offset`.
  std::string header;
  std::vector<std::string> rows;
};

// Parses a file. `name` stands for it in messages. Rows are separated by line
// feeds, fields by commas, and nothing is quoted. A blank line ends the file.
// Columns, in any order:
//
//   id, buffer, buffer_id   any text, which may repeat
//   lower, begin, start     the first task
//   upper                   one past the last task; or
//   end                     the last task, also of gaps
//   size                    bytes
//   alignment               a power of two
//   gaps                    parts of the lifetime without memory ("7-9") or
//   with
//                           a part of it ("7-9@0:64")
//   offset                  an offset that the plan has to keep
//
// Any other column is ignored, and so is `hint`, a preference. Tasks may be
// negative. Errors, all "NAME:LINE: WHAT; expected ...": InvalidArgument for a
// column that is missing or repeated, a row of another length, and a value that
// is not a number or out of range. O(bytes).
StatusOr<MinimallocFile> ParseMinimallocCsv(string_view csv, string_view name);

// Returns the file with one more column, `offset`, the last. Requires an offset
// for every record of `file.problem`. O(bytes).
std::string FormatMinimallocPlan(const MinimallocFile& file,
                                 const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_MINIMALLOC_FILE_H_
