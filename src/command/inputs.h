// SPDX-License-Identifier: Apache-2.0
// The inputs of a command line, read with messages that name them.
#ifndef STOWAGE_SRC_COMMAND_INPUTS_H_
#define STOWAGE_SRC_COMMAND_INPUTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/option_limits.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/problem_file.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"
#include "stowage/trace_problem.h"

namespace stowage::cli {

// How to read an input: a trace has the first, a model the others.
struct InputOptions {
  TraceOptions csv;
  ModelTraceOptions model;
  LifetimeRules lifetimes = LifetimeRules::kPlain;
  harness::TraceShadows shadows;  // under cpu
  // The options of the command line that set these.
  std::vector<OptionLimit> limits = {};
};

// A trace and the path that it was read from.
struct NamedTrace {
  std::string path;
  Trace trace;
};

// Of a problem with constraints, whose bounds they change.
constexpr absl::string_view kNoCertificates =
    "--certificate: the input has constraints, of which certificates know "
    "nothing; expected records with alignments and fixed offsets alone";

// Error: InvalidArgument for groups on several streams.
absl::Status CheckSharing(const InputOptions& options);

// Error: InvalidArgument for shadows under rules that need no kernels, and for
// shapes without shadows.
absl::Status CheckShadows(const InputOptions& options);

// The groups of the records of a trace: how many.
size_t CountGroups(const Trace& trace);

// Returns what a trace lacks since shapes depend on data; empty for nothing.
std::string DescribeComputed(const ModelTrace& model);

// What messages call an input: its path, or "<stdin>".
std::string InputName(const std::string& path);

// The trace of a model and what was left out. Appends to `warnings` where it
// declares other sizes than its operators compute. Error: as ReadModelTrace,
// ReadCpuModelTrace and ReadMicroModelTrace; InvalidArgument under `micro`
// where a kernel would write more than a tensor declares.
absl::StatusOr<ModelTrace> ReadModel(const std::string& path,
                                     const InputOptions& options,
                                     std::vector<std::string>* warnings);

// Reads the inputs of one command line, each told apart by content, and
// remembers what they are.
class InputReader {
 public:
  // `options` must outlive it.
  explicit InputReader(const InputOptions& options) : options_(options) {}

  // The trace of a CSV file, a problem file, a model or standard input ("-").
  // Where the order of tasks is free, it is the trace in the order that the
  // file, a plan, has chosen. Error: as ReadTrace and ReadProblemFile;
  // InvalidArgument or OutOfRange if CheckUsageRecords refuses the records;
  // Unimplemented for a free order without a chosen one, and InvalidArgument
  // for one that cannot be run. The message names the input.
  absl::StatusOr<Trace> Read(const std::string& path);
  // The same, but a free order stays free.
  absl::StatusOr<ProblemFile> ReadProblem(const std::string& path);
  // A plan, which may have ids and places alone
  // (TraceOptions::accept_places_alone).
  absl::StatusOr<ProblemFile> ReadPlan(const std::string& path);

  // Error: as CheckEffects, of all inputs that were read.
  absl::Status CheckOptions() const;

 private:
  absl::StatusOr<ProblemFile> ReadAny(const std::string& path,
                                      const TraceOptions& csv);

  const InputOptions& options_;
  std::vector<SeenInput> seen_;
};

// Forgets what is known of tensors and operators beyond their records.
void DropNames(Trace* trace);

// What went wrong with the records of `trace`: the message with the name of the
// input before it, and the ids of the records that the error is about.
std::string DescribeError(const std::string& path, const Trace& trace,
                          const absl::Status& status);

// The files of a folder and its folders whose names end in .csv or .tflite, by
// path; any other path as it is. Error: as the system reports it; NotFound for
// a folder without such a file.
absl::StatusOr<std::vector<std::string>> ExpandInput(const std::string& path);

// Error: InvalidArgument if "-" is there twice, for it can be read only once.
absl::Status CheckStandardInput(absl::Span<const std::string> paths);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_INPUTS_H_
