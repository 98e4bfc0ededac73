// SPDX-License-Identifier: Apache-2.0
// Reads and writes files that have a problem and, optionally, a plan for it. A
// CSV file (docs/trace-format.md) has the records and the requests about single
// records. A JSON file (docs/problem-format.md) can have all requests.
//
//   id,lower,upper,size
//   conv1,0,2,1204224      <->   {1204224, first_task = 0, last_task = 1}
//
//   const StatusOr<ProblemFile> file = ReadProblemFile("trace.csv");
//   if (!file.ok()) return file.status();
//   const StatusOr<Problem> problem = Problem::Create(file->problem);
//
// Intervals in files are half-open, and those of the library are inclusive:
// `lower` is the first task, `upper` is one past the last. Only readers and
// writers of files convert. Errors name the file and the line or the value:
// "FILE:LINE: WHAT; expected ...".
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

// A plan in the form that files contain. Offsets, objects and pools have one
// entry for each record, in the order of the records. If the file does not
// state one of these lists, the list is empty.
struct FilePlan {
  // The offsets in bytes. If the plan chooses pools, each offset counts from
  // the start of the pool.
  std::vector<size_t> offsets;
  // The ids of shared objects, which may be any numbers.
  std::vector<size_t> objects;
  std::vector<uint32_t> chosen_pools = {};
  // The order that the plan has chosen; empty if the order is not free.
  std::vector<TaskId> execution_order = {};
  // The number of bytes that the runtime reserves for the plan. It is set only
  // if the file is a recording that states this number. A record that ends
  // beyond these bytes has no memory. This number is not written to files.
  optional<size_t> arena_size = nullopt;

  // Returns whether no record has a place.
  bool empty() const { return offsets.empty() && objects.empty(); }
};

// A problem and, if the file also has a plan, this plan.
struct ProblemFile {
  // The names of the problem are the ids of the records; no two ids are equal.
  // If the order is free, the interval of a record is not its lifetime: the
  // interval extends from the lowest to the highest number of the tasks that
  // use the record. The kind of the problem is always kOffsets, even if the
  // plan consists of shared objects.
  ProblemSpec problem;
  FilePlan plan = {};
  // A line that tells the user how the problem was made. For example, it says
  // that the model contains a plan and that offsets of this plan are kept. The
  // line is not written to files.
  std::string note = {};
};

struct CsvOptions {
  // If true, columns that are not part of the format are ignored. Otherwise
  // they are an error.
  bool ignore_unknown_columns = false;
  // If true, a file that has only the columns `id` and `offset`, or `id` and
  // `object`, is accepted. It is a plan without its problem: the caller has to
  // add the sizes and lifetimes of the records.
  bool accept_places_alone = false;
};

// Parses CSV. `name` stands for the file in messages. Error: InvalidArgument.
// O(n) for n bytes.
StatusOr<ProblemFile> ParseProblemCsv(string_view csv, string_view name,
                                      const CsvOptions& options = {});

// The size of the largest problem in JSON that is read.
constexpr size_t kMaxProblemBytes = size_t{1} << 30;

// Parses JSON. If there is a partial order, the interval of each record is the
// bounding interval of its users. This function does not check whether the
// constraints are valid; Problem::Create does. Errors:
//   InvalidArgument    not JSON; a field that is missing, unknown, repeated or
//                      of a wrong type; an id or a pool that does not
//                      exist; those of CheckFreeOrder
//   ResourceExhausted  more than kMaxProblemBytes; an order that needs too many
//                      chains (TaskOrder); those of CheckFreeOrder
// O(bytes), plus the time of TaskOrder.
StatusOr<ProblemFile> ParseProblemJson(string_view json, string_view name);

// A format of files that ReadProblemFile can recognize and read.
struct FileFormat {
  std::string name;  // is "csv", for example
  // Returns whether a file has this format. `start` has the first bytes of the
  // file: at least `start_bytes` of them, or the whole file.
  std::function<bool(string_view start, const std::string& path)> detect;
  // Parses all bytes of a file. `name` stands for the file in messages.
  std::function<StatusOr<ProblemFile>(string_view bytes, string_view name)>
      parse;
  // The number of bytes that `detect` needs to see.
  size_t start_bytes = 512;
};

struct FileOptions {
  CsvOptions csv;
  // Formats beyond those of this library ("csv" and "json"), such as models
  // (ModelFormat of tflite/model_trace.h). These formats are tried before those
  // of the library, in the order of the list.
  std::vector<FileFormat> formats = {};
  // If not null, this string is set to the name of the file's format, or to
  // "other" if the format is known but not supported. The string is set as soon
  // as the format is known, and therefore even if reading fails afterwards. The
  // pointer is not owned.
  std::string* format = nullptr;
};

// Reads a file, or standard input if the path is "-". The content of the file
// decides its format. A file of no known format is read as CSV. Errors: those
// of the parser of the format; InvalidArgument for a format that is known but
// not supported, such as GGUF (the message names the format);
// FailedPrecondition for a folder; NotFound, PermissionDenied and other errors
// that the system reports.
StatusOr<ProblemFile> ReadProblemFile(const std::string& path,
                                      const FileOptions& options = {});

// Returns the file as CSV with LF line ends. If the text is parsed, the result
// is the same problem and plan, with four exceptions. The records to place
// first, Labels::readers and Labels::lifetimes are not written. Groups are
// numbered in the order of their first records, and places that constrain
// nothing are left out; the problem may therefore have a different fingerprint.
// Names of operators are written only beside the tensors that they write or
// read. Names of tensors and operators are changed if CSV cannot hold them:
// bytes that are not UTF-8 and control characters become \xNN, and text that is
// too long for a line is cut.
//
// Errors: OutOfRange if a record is live up to task 2^64 - 1, because the
// number of the next task does not fit in 64 bits (the message names the
// record); InvalidArgument if ParseProblemCsv would refuse the text;
// Unimplemented if the problem has a constraint that CSV cannot express but
// JSON can (FormatProblemJson), or a reallocation graph or optional groups,
// which no file format can express (the message names the constraint).
StatusOr<std::string> FormatProblemCsv(const ProblemFile& file);

// Returns the file as JSON, with a record on each line. If the text is parsed,
// the result is the same problem and plan, with four exceptions. The records to
// place first, Labels::readers and Labels::lifetimes are not written. Groups
// are numbered in the order of their first records, and lists and places that
// constrain nothing are left out; the problem may therefore have a different
// fingerprint. If there is a partial or free order, names of operators are
// written only for the tasks of this order. In names of tensors and operators,
// bytes that are not UTF-8 and control characters become \xNN. Errors: those of
// FormatProblemCsv, but Unimplemented only for reallocation graphs and optional
// groups, since JSON can express every constraint; InvalidArgument if an
// interval is not the bounding interval of the users of its record. O(bytes).
StatusOr<std::string> FormatProblemJson(const ProblemFile& file);

// Gives the problem of a file the order of tasks that the plan in the file has
// chosen. If the problem has a free order, the tasks of the returned file are
// renumbered in the order of the plan, and its problem has a given order. Any
// other file is returned unchanged. Errors: Unimplemented if the plan has no
// order; InvalidArgument if the order of the plan has a violation
// (free_order.h).
StatusOr<ProblemFile> InChosenOrder(ProblemFile file);

// Returns the plan of a solution in the form of files. Requires that the
// solution has a plan.
FilePlan FilePlanOf(const Solution& solution);

// Returns the plan of a file, ready for FindViolation. The objects are
// renumbered densely by first use, each as large as its largest tensor. With
// pools, the total is the sum over all pools. Errors: FailedPrecondition if the
// plan has no offsets or objects, respectively; OutOfRange if the end of a
// record or the total passes 2^64 - 1.
StatusOr<OffsetsAssignment> OffsetsOf(const ProblemSpec& problem,
                                      const FilePlan& plan);
StatusOr<ObjectsAssignment<size_t>> ObjectsOf(const ProblemSpec& problem,
                                              const FilePlan& plan);

}  // namespace stowage

#endif  // STOWAGE_IO_PROBLEM_FILE_H_
