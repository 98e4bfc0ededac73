// SPDX-License-Identifier: Apache-2.0
// Traces: usage records on disk, as CSV files. For the records of models see
// tflite/model_trace.h, which reads traces too.
//
// A file is half-open where the library is inclusive, and only this header
// converts: `lower` is the first task, `upper` is one past the last.
//
//   id,lower,upper,size
//   conv1,0,2,1204224      <->   {1204224, first_task = 0, last_task = 1}
//
// docs/trace-format.md has the whole format. Errors name FILE:LINE. What holds
// for more than one record, as holes do, is in problem_file.h.
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

// What is known of a tensor beyond its record. Reports show it; no plan depends
// on it. Texts are UTF-8 or not, as the model has them, and hostile at worst.
struct TensorInfo {
  std::string name;                    // of the model; empty: none is known
  std::string type;                    // of the elements, "int8"
  std::string shape;                   // extents, "1x224x224x3"
  absl::optional<size_t> producer;     // the task that writes it
  std::vector<size_t> consumers = {};  // the tasks that read it, rising
};

// A trace, and the plan beside it where the file has one. Each list is as long
// as `records`, or empty where the file has no such column.
struct Trace {
  std::vector<std::string> ids;  // unique
  std::vector<TensorUsageRecord<size_t>> records;
  std::vector<size_t> alignments;  // bytes, powers of two
  // Offsets that the plan must keep, in bytes; nothing for a record that may be
  // placed anywhere.
  std::vector<absl::optional<size_t>> fixed;
  std::vector<size_t> offsets;  // bytes
  std::vector<size_t> objects;  // ids of shared objects, any numbers
  // Pools that the plan has chosen: the offsets are in these.
  std::vector<uint32_t> chosen_pools = {};

  // Beyond alignments and fixed offsets.
  Constraints constraints = {};
  // What the file calls the groups of the constraints, by number.
  std::vector<std::string> groups = {};
  absl::optional<size_t> capacity = {};  // bytes; of problem files only

  // By record, or empty where nothing is known of any.
  std::vector<TensorInfo> tensors = {};
  // Names of the operators by task, "CONV_2D"; empty, or shorter than there are
  // tasks, where they are not known.
  std::vector<std::string> operators = {};

  // The rules by which the records were made of a model: "plain", "cpu"
  // (tflite/lifetimes.h). Empty for a trace from a file.
  std::string lifetimes = {};
  // Records that the rules would have placed first, by index
  // (ProblemSpec::place_first). Not written to files.
  std::vector<size_t> place_first = {};
  // Operators of the model that read each record. Not written to files.
  std::vector<size_t> consumers = {};

  // What `alignments` asks for: 1 where the file says nothing.
  Alignments alignment() const;
  // `fixed`, or nothing where no record has a fixed offset.
  absl::Span<const absl::optional<size_t>> fixed_offsets() const;
};

struct TraceOptions {
  // Read past columns that are not part of the format.
  bool ignore_unknown_columns = false;
};

// Parses CSV. `name` stands for the file in messages. Error: InvalidArgument.
// O(n) for n bytes.
absl::StatusOr<Trace> ParseTraceCsv(absl::string_view csv,
                                    absl::string_view name,
                                    const TraceOptions& options = {});

// Reads a trace from a CSV file, or from standard input if the path is "-".
// Errors: those of ParseTraceCsv; NotFound, PermissionDenied,
// FailedPrecondition for a folder.
absl::StatusOr<Trace> ReadTraceCsv(const std::string& path,
                                   const TraceOptions& options = {});

// The trace as CSV with LF line ends; parsing it gives the same trace, but for
// names of tensors and operators that CSV cannot hold: bytes that are not UTF-8
// and control characters become \xNN, and what is too long for a line is cut.
// Errors, naming the record: OutOfRange if it lives up to task 2^64 - 1, which
// has no half-open end; InvalidArgument for what ParseTraceCsv would refuse;
// Unimplemented, naming it, for what CSV cannot say (FormatProblemJson can).
absl::StatusOr<std::string> FormatTraceCsv(const Trace& trace);

// Writes a file whole or not at all: to a temporary name beside it, then
// renamed. A file that is not regular (a pipe, a device) is written directly,
// "-" is standard output. The thread's SIGINT, SIGTERM and SIGHUP wait
// meanwhile, so that no temporary file is left. Error: the first that the
// system reports, with the path.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// The same for content that is too large to keep: `produce` passes it to
// `write` piece by piece. Errors: the first of `produce`, or Cancelled once one
// of these signals waits; the file is then as it was.
using WritePiece = std::function<absl::Status(absl::string_view piece)>;
absl::Status WriteFileInPieces(
    const std::string& path,
    const std::function<absl::Status(const WritePiece& write)>& produce);

// The plan in the columns of a trace, ready for FindViolation. The objects are
// renumbered densely by first use, each as large as its largest tensor; with
// pools the total is the sum over pools. Errors: FailedPrecondition if the
// trace has no such column; OutOfRange if an offset and its size, or the total,
// pass 2^64 - 1.
absl::StatusOr<OffsetsAssignment> OffsetsOf(const Trace& plan);
absl::StatusOr<ObjectsAssignment<size_t>> ObjectsOf(const Trace& plan);

}  // namespace stowage

#endif  // STOWAGE_TRACE_H_
