// SPDX-License-Identifier: Apache-2.0
// Reads and writes files that have a problem and, optionally, a plan for it. A
// CSV file (docs/trace-format.md) can express the records and the constraints
// on single records. A JSON file (docs/problem-format.md) can express almost
// all constraints; FormatProblemJson names the exceptions.
//
//   id,lower,upper,size
//   conv1,0,2,1204224      <->   {1204224, first_task = 0, last_task = 1}
//
//   const StatusOr<ProblemFile> file = ReadProblemFile("trace.csv");
//   if (!file.ok()) return file.status();
//   const StatusOr<Problem> problem = Problem::Create(file->problem);
//
// Intervals in files are half-open: `lower` is the first task, `upper` is one
// past the last. Intervals in the library are inclusive. Only the readers and
// writers of files convert between the two. Error messages name the file, and
// the line or the value: "FILE:LINE: WHAT; expected ...".
#ifndef STOWAGE_IO_PROBLEM_FILE_H_
#define STOWAGE_IO_PROBLEM_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/usage_record.h"

namespace stowage {

// A plan as it is stored in files. Each list of offsets, objects or pools has
// one entry for each record, in the order of the records, or is empty if the
// file does not have that list.
struct FilePlan {
  // The offsets in bytes. If the plan chooses pools, each offset is relative to
  // the start of the record's pool.
  std::vector<size_t> offsets;
  // The ids of the shared objects. Any numbers are allowed.
  std::vector<size_t> objects;
  std::vector<uint32_t> chosen_pools = {};
  // The order of tasks that the plan has chosen; empty if the order is not
  // free.
  std::vector<TaskId> execution_order = {};
  // The number of bytes that the runtime reserves for the plan. Set only if the
  // file is a recording that states this number, and never written to files. A
  // record that ends beyond these bytes has no memory.
  optional<size_t> arena_size = nullopt;

  // Returns whether no record has a place.
  bool empty() const { return offsets.empty() && objects.empty(); }
};

// A problem, and the plan in the same file, if any.
struct ProblemFile {
  // ProblemSpec::names has the ids of the records, and no two ids are equal. If
  // the order of tasks is free, the interval of a record is not its lifetime:
  // the interval extends from the lowest-numbered to the highest-numbered task
  // that uses the record. The kind of the problem is always kOffsets, even if
  // the plan consists of shared objects.
  ProblemSpec problem;
  FilePlan plan = {};
  // A line that explains to the user how the problem was made; for example,
  // that the model contains a plan and that the offsets of this plan are kept.
  // Not written to files.
  std::string note = {};
  // The number of events that the recording lost, so that records may be
  // missing or live too long. Not written to files.
  uint64_t lost_events = 0;
};

struct CsvOptions {
  // If true, columns that are not part of the format are ignored. If false,
  // they are an error.
  bool ignore_unknown_columns = false;
  // If true, a file that has only the columns `id` and `offset`, or `id` and
  // `object`, is accepted. Such a file has a plan but no problem, so the caller
  // has to add the sizes and lifetimes of the records (AddRecords in
  // match_rows.h).
  bool accept_places_alone = false;
};

// Parses CSV. Error messages refer to the file as `name`. Error:
// InvalidArgument. O(bytes).
StatusOr<ProblemFile> ParseProblemCsv(string_view csv, string_view name,
                                      const CsvOptions& options = {});

// The maximum size, in bytes, of a problem that ParseProblemJson accepts.
constexpr size_t kMaxProblemBytes = size_t{1} << 30;

// Parses JSON. Error messages refer to the file as `name`. If the problem has a
// partial order of tasks, the interval of each record is the bounding interval
// of its users. This function does not check whether the constraints are valid;
// Problem::Create does. Errors:
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of a wrong type; an id or a pool that does not
//                      exist; those of CheckFreeOrder
//   ResourceExhausted  more than kMaxProblemBytes; an order that needs too many
//                      chains (TaskOrder); those of CheckFreeOrder
// O(bytes), plus the time of TaskOrder.
StatusOr<ProblemFile> ParseProblemJson(string_view json, string_view name);

// A file format that ReadProblemFile can recognize and read.
struct FileFormat {
  std::string name;  // is "csv", for example
  // Returns whether a file has this format. `start` is the first `start_bytes`
  // bytes of the file or more, or the whole file if it is shorter.
  std::function<bool(string_view start, const std::string& path)> detect;
  // Parses the whole content of a file. Error messages refer to the file as
  // `name`.
  std::function<StatusOr<ProblemFile>(string_view bytes, string_view name)>
      parse;
  // The number of bytes that `detect` needs.
  size_t start_bytes = 512;
};

struct FileOptions {
  CsvOptions csv;
  // Additional formats, such as models (ModelFormat of tflite/model_trace.h).
  // These formats are tried in the order of the list, before the library's own
  // formats ("csv" and "json").
  std::vector<FileFormat> formats = {};
  // If not null, *format is set to the name of the file's format, or to "other"
  // if the format is recognized but not supported. The string is set as soon as
  // the format has been recognized, so it is set even if reading then fails.
  // The pointer is not owned.
  std::string* format = nullptr;
};

// Reads a file, or standard input if the path is "-". The format is detected
// from the content of the file; a file of no known format is read as CSV.
// Errors: those of the parser of the format; InvalidArgument if the format is
// recognized but not supported, such as GGUF (the message names the format);
// FailedPrecondition if the path is a folder; NotFound, PermissionDenied and
// other errors that the system reports.
StatusOr<ProblemFile> ReadProblemFile(const std::string& path,
                                      const FileOptions& options = {});

// Returns the file as CSV with LF line ends. Parsing the text returns the same
// problem and plan, with these exceptions:
//
// - The records to place first, Labels::readers and Labels::lifetimes are not
//   written.
// - Groups are numbered in the order of their first records, and places that
//   constrain nothing are left out. The fingerprint of the problem may
//   therefore differ.
// - The name of an operator is written only beside the tensors that the
//   operator writes or reads.
// - Names of tensors and operators that CSV cannot hold are changed: control
//   characters and bytes that are not UTF-8 become \xNN, and text that is too
//   long for a line is cut.
//
// Errors: OutOfRange if a record is live up to task 2^64 - 1, because `upper`
// would not fit in 64 bits (the message names the record); InvalidArgument if
// ParseProblemCsv would refuse the text; Unimplemented if the problem has a
// constraint that CSV cannot express but JSON can (FormatProblemJson), or a
// reallocation graph or optional groups, which no file format can express (the
// message names the constraint).
StatusOr<std::string> FormatProblemCsv(const ProblemFile& file);

// Returns the file as JSON, with one record on each line. Parsing the text
// returns the same problem and plan, with these exceptions:
//
// - The records to place first, Labels::readers and Labels::lifetimes are not
//   written.
// - Groups are numbered in the order of their first records, and lists and
//   places that constrain nothing are left out. The fingerprint of the problem
//   may therefore differ.
// - If the problem has a partial or free order, names of operators are written
//   only for the tasks of that order.
// - In names of tensors and operators, control characters and bytes that are
//   not UTF-8 become \xNN.
//
// Errors: those of FormatProblemCsv, except that JSON can express every
// constraint other than reallocation graphs and optional groups, so only these
// two are Unimplemented; InvalidArgument if an interval is not the bounding
// interval of the users of its record. O(bytes).
StatusOr<std::string> FormatProblemJson(const ProblemFile& file);

// Applies the order of tasks that the plan in the file has chosen. If the
// problem has a free order, the returned file has its tasks renumbered in the
// plan's order, and its problem has a given order. Any other file is returned
// unchanged. Errors: Unimplemented if the plan has no order; InvalidArgument if
// the plan's order has a violation (free_order.h).
StatusOr<ProblemFile> InChosenOrder(ProblemFile file);

// Returns the plan of a solution in the form that files store. Requires that
// the solution has a plan.
FilePlan FilePlanOf(const Solution& solution);

// Return the plan of a file in the form that FindViolation expects. Objects are
// renumbered from 0 without gaps, in the order of their first records, and each
// object is as large as its largest tensor. If the plan chooses pools, the
// total is the sum over all pools. Errors: FailedPrecondition if the plan has
// no offsets (OffsetsOf) or no objects (ObjectsOf); OutOfRange if the end of a
// record or the total exceeds 2^64 - 1.
StatusOr<OffsetsAssignment> OffsetsOf(const ProblemSpec& problem,
                                      const FilePlan& plan);
StatusOr<ObjectsAssignment<size_t>> ObjectsOf(const ProblemSpec& problem,
                                              const FilePlan& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_PROBLEM_FILE_H_
