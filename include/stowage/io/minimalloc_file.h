// SPDX-License-Identifier: Apache-2.0
// Reads and writes CSV files by the rules of the solver MiniMalloc: for
// example, a blank line ends the file, and unknown columns are ignored. The
// command `stowage-minimalloc` uses this header to be a drop-in replacement for
// MiniMalloc. To read a file for any other purpose, use problem_file.h, which
// accepts the same columns but reports unknown columns as errors.
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
  // file has negative tasks, all tasks are shifted so that the lowest task of
  // the file becomes task 0.
  ProblemSpec problem;
  // For each row, the record that begins at the first byte of the buffer.
  std::vector<size_t> starts;
  // The header and the rows of the file, unchanged and in the same order, but
  // without the column `offset`.
  std::string header;
  std::vector<std::string> rows;
  // The number of lines with text after the blank line that ends the file.
  size_t ignored_lines = 0;
};

// Parses the content of a file. Error messages refer to the file as `name`.
// Line feeds separate rows, commas separate fields, and quotation marks have no
// special meaning. A blank line ends the file. The columns may be in any order:
//
//   id, buffer, buffer_id   any text, which may repeat
//   lower, begin, start     the first task
//   upper                   one past the last task
//   end                     the last task, instead of `upper`; the ends of
//                           gaps are then inclusive, too
//   size                    bytes
//   alignment               a power of two
//   gaps                    parts of the lifetime in which the buffer holds
//                           nothing ("7-9") or some bytes ("7-9@0:64")
//   offset                  an offset that the plan has to keep
//
// Any other column is ignored, including `hint`, which is only a preference.
// Tasks may be negative, except in `gaps`. Error: InvalidArgument if a column
// is missing or repeated, if the number of fields of a row differs from that of
// the header, or if a value is not a number or is out of range. Messages have
// the form "NAME:LINE: WHAT; expected ...". O(bytes).
StatusOr<MinimallocFile> ParseMinimallocCsv(string_view csv, string_view name);

// Returns the rows of the file with an additional last column, `offset`.
// Requires that `plan` has an offset for every record of `file.problem`.
// O(bytes).
std::string FormatMinimallocPlan(const MinimallocFile& file,
                                 const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_MINIMALLOC_FILE_H_
