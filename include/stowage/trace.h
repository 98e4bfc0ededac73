// SPDX-License-Identifier: Apache-2.0
// Traces: usage records on disk, as CSV files. To get the records of a model
// use tflite/model_trace.h, which also reads traces.
//
// A file is half-open where the library is inclusive: `lower` is the first
// task, `upper` is one past the last. This header is the only place that
// converts CSV.
//
//   id,lower,upper,size
//   conv1,0,2,1204224      <->   {1204224, first_task = 0, last_task = 1}
//
// docs/trace-format.md describes the format. Errors name FILE:LINE. Constraints
// that concern more than one record, such as holes, are in problem_file.h.
#ifndef STOWAGE_TRACE_H_
#define STOWAGE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {

// Facts about a tensor beyond its record, for reports; no plan depends on them.
// Texts are those of the model: they need not be UTF-8 and may be hostile.
struct TensorInfo {
  std::string name;                    // in the model; empty if unknown
  std::string type;                    // of the elements: "int8"
  std::string shape;                   // extents: "1x224x224x3"
  absl::optional<size_t> producer;     // the task that writes it
  std::vector<size_t> consumers = {};  // the tasks that read it, rising
};

// A trace and, if the file has one, the plan beside it. Each list is as long as
// `records`, or empty if the file has no such column.
struct Trace {
  std::vector<std::string> ids;  // unique
  std::vector<TensorUsageRecord<size_t>> records;
  std::vector<size_t> alignments;  // bytes, powers of two
  // Offsets that the plan must keep, in bytes; none for a record that may be
  // placed anywhere.
  std::vector<absl::optional<size_t>> fixed;
  std::vector<size_t> offsets;  // bytes
  std::vector<size_t> objects;  // ids of shared objects, any numbers
  // The pools that the plan has chosen; the offsets count within them.
  std::vector<uint32_t> chosen_pools = {};

  // Further constraints than alignments and fixed offsets.
  Constraints constraints = {};
  // The names that the file gives to the groups of the constraints, by number.
  std::vector<std::string> groups = {};
  absl::optional<size_t> capacity = {};  // bytes; in problem files only

  // An entry for every record, or empty if nothing is known.
  std::vector<TensorInfo> tensors = {};
  // The operators' names by task, such as "CONV_2D". If they are not known the
  // list is empty, or shorter than the number of tasks.
  std::vector<std::string> operators = {};

  // The rules that derived the records from a model: "plain", "cpu"
  // (tflite/lifetimes.h). Empty for a trace from a file.
  std::string lifetimes = {};
  // Records that the rules place first, by index (ProblemSpec::place_first).
  // Not written to files.
  std::vector<size_t> place_first = {};
  // One line on how the trace was made, for the user who plans it. For example,
  // it says that offsets of a plan in the model are kept. Not written to files.
  std::string note = {};
  // The number of operators of the model that read each record. Not written to
  // files.
  std::vector<size_t> consumers = {};

  // Returns `alignments`, or 1 for all if the file has none.
  Alignments alignment() const;
  // Returns `fixed`, or an empty list if no record has a fixed offset.
  absl::Span<const absl::optional<size_t>> fixed_offsets() const;
};

// Says what ParseTraceCsv accepts besides the format.
struct TraceOptions {
  // Ignore columns that are not part of the format.
  bool ignore_unknown_columns = false;
  // Accept a file with the columns `id` and `offset`, or `id` and `object`, and
  // no column of the records. Such a file is a plan for the records of another
  // file. The `records` of the returned Trace are then empty.
  bool accept_places_alone = false;
};

// Parses CSV. `name` stands for the file in messages. Error: InvalidArgument.
// O(n) for n bytes.
absl::StatusOr<Trace> ParseTraceCsv(absl::string_view csv,
                                    absl::string_view name,
                                    const TraceOptions& options = {});

// Reads a trace from a CSV file, or from standard input if the path is "-".
// Errors: those of ParseTraceCsv; NotFound, PermissionDenied;
// FailedPrecondition for a folder.
absl::StatusOr<Trace> ReadTraceCsv(const std::string& path,
                                   const TraceOptions& options = {});

// Returns the trace as CSV with LF line ends. Parsing it gives the same trace,
// except for names of tensors and operators that CSV cannot hold: bytes that
// are not UTF-8 and control characters become \xNN, and text that is too long
// for a line is cut. Errors, naming the record: OutOfRange if it is live up to
// task 2^64 - 1, which has no half-open end; InvalidArgument for what
// ParseTraceCsv would refuse; Unimplemented, naming it, for a constraint that
// CSV cannot express (FormatProblemJson can).
absl::StatusOr<std::string> FormatTraceCsv(const Trace& trace);

// Writes a file completely or not at all: to a temporary name beside it, which
// is then renamed. A file that is not regular (a pipe, a device) is written
// directly; "-" is standard output. SIGINT, SIGTERM and SIGHUP are blocked in
// this thread meanwhile, so that no temporary file remains. Error: the first
// that the system reports, with the path.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Writes a file in the same way as WriteFile, for content that is too large to
// keep in memory. `produce` is called once, and passes the content to `write`
// piece by piece. Errors: the first of `produce`; Cancelled once SIGINT,
// SIGTERM or SIGHUP is pending. After an error the file is as it was.
using WritePiece = std::function<absl::Status(absl::string_view piece)>;
absl::Status WriteFileInPieces(
    const std::string& path,
    const std::function<absl::Status(const WritePiece& write)>& produce);

// Returns the plan in the columns of a trace, ready for FindViolation. The
// objects are renumbered densely by first use, each as large as its largest
// tensor. With pools the total is the sum over all pools. Errors:
// FailedPrecondition if the trace has no such column; OutOfRange if an offset
// plus its size, or the total, passes 2^64 - 1.
absl::StatusOr<OffsetsAssignment> OffsetsOf(const Trace& plan);
absl::StatusOr<ObjectsAssignment<size_t>> ObjectsOf(const Trace& plan);

}  // namespace stowage

#endif  // STOWAGE_TRACE_H_
