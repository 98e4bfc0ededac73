// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of a command line. Error messages name the input.
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
#include "src/command/program_options.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/programs/program_problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {

struct DynamicInput;

// Options for reading an input. `csv` applies only to traces, `recording` and
// `part` only to recordings, and most other fields only to models.
struct InputOptions {
  CsvOptions csv;
  ModelTraceOptions model;
  LifetimeRules lifetimes = LifetimeRules::kPlain;
  // The operators that shadows replace, and the shapes that are given. Shadows
  // have an effect only under the lifetime rules `cpu`; shapes have an effect
  // under all rules.
  harness::TraceShadows shadows;
  // The copies between functions that a program makes. If not set, the options
  // in each file decide.
  absl::optional<ProgramCopies> copies;
  // Options that determine whether and how models are planned as programs.
  ProgramAsk program;
  // If true, a tensor with an unknown extent is an error. If false, such an
  // extent is planned as 1.
  bool is_strict = false;
  // The parameters, and the same shapes as in `shadows`, except that an extent
  // may be the name of a parameter.
  harness::ShapeParameters open;
  RecordingOptions recording;
  std::string part = {};  // a part of a recording; empty for the largest
  // The values at which problems with parameters are read. Empty if no values
  // are given.
  std::string at = {};
  // The command-line options that set these fields.
  std::vector<OptionLimit> limits = {};
};

// A file and the path from which it was read.
struct NamedFile {
  std::string path;
  ProblemFile file;
  bool is_recording = false;
};

// The message for a misuse of --certificate: a certificate is requested
// although the plan also chooses the order of the tasks, or which records share
// one place. Certificates do not cover such choices.
constexpr absl::string_view kNoCertificates =
    "--certificate: certificates support neither programs nor plans that "
    "choose groups, the order of the tasks, or pairs in one place; expected an "
    "input without such choices";

// Returns InvalidArgument if --sharing groups is given together with --streams.
absl::Status CheckSharing(const InputOptions& options);

// Checks the options of shadows. Shadows are kernels without arithmetic that
// replace operators (stowage/harness/shadow.h). Error: InvalidArgument if
// shadows are requested under lifetime rules other than `cpu`, the only rules
// that need kernels.
absl::Status CheckShadows(const InputOptions& options);

// Returns the problem to solve for a plan of the given kind. If `alignment` is
// given, it replaces the alignments of all records.
ProblemSpec SpecFor(ProblemSpec spec, PlanKind kind,
                    absl::optional<size_t> alignment = absl::nullopt);

// Returns the number of groups to which the records of a problem belong.
size_t CountGroups(const ProblemSpec& problem);

// Returns the description of an input that CheckEffects needs. `format` is the
// name of the format of the input.
SeenInput SeenInputOf(const std::string& path, const std::string& format);

// Describes the operators whose shapes depend on data, because the tensors of
// these operators are missing from the records. Returns an empty string if
// there are no such operators.
std::string DescribeComputed(const ModelTrace& model);

// Returns the name of an input for messages: its path, or "<stdin>".
std::string InputName(const std::string& path);

// The input of `stowage trace`: a model or a recording.
struct TraceInput {
  // If the input is a recording, only the problem is set.
  ModelTrace trace;
  // Warnings about tensors whose declared sizes differ from the sizes that the
  // operators compute.
  std::vector<std::string> warnings;
};

// Reads a model or a recording. Sets `format` to "tflite" or to the format of
// the recording as soon as the format is known, even if reading fails
// afterwards. Errors: those of ReadProblemFile and harness::ParseTrace;
// InvalidArgument if the file is neither a model nor a recording.
absl::StatusOr<TraceInput> ReadTraceInput(const std::string& path,
                                          const InputOptions& options,
                                          std::string* format);

// Reads the inputs of one command line, and records their kinds. Distinguishes
// traces, problems and models by content.
class InputReader {
 public:
  // `options` must outlive the reader.
  explicit InputReader(const InputOptions& options) : options_(options) {}

  // Makes later calls accept a problem with parameters even without --at. These
  // calls store the problem in `input` and return an empty file
  // (dynamic_inputs.h). Without KeepDynamic, such a problem is an error.
  void KeepDynamic(DynamicInput* input) { dynamic_ = input; }

  // Returns the contents of a CSV file, a problem file, a model or standard
  // input ("-"). If the problem leaves the order of its tasks free, the file
  // must contain a plan; the tasks are then returned in the order that the plan
  // has chosen. The error message names the input. Errors:
  //
  // - those of ReadProblemFile;
  // - InvalidArgument or OutOfRange if CheckUsageRecords rejects the records;
  // - Unimplemented if the order is free and the file does not choose one;
  // - InvalidArgument if the chosen order is not valid.
  absl::StatusOr<ProblemFile> Read(const std::string& path);
  // Like Read, except that a free order of tasks remains free. The file
  // therefore need not contain a plan.
  absl::StatusOr<ProblemFile> ReadProblem(const std::string& path);
  // Reads one input as ReadProblem does, or several inputs as one program
  // (ReadTogether of program_inputs.h).
  absl::StatusOr<ProblemFile> ReadProblems(
      const std::vector<std::string>& paths);
  // Reads a plan, which may consist of ids and places only
  // (CsvOptions::accept_places_alone).
  absl::StatusOr<ProblemFile> ReadPlan(const std::string& path);
  // Reads all parts of a recording, or only the part that the options name. Any
  // other input is returned as a single part without a name, with the file that
  // Read returns. Errors: those of Read and ReadRecording; InvalidArgument if
  // there is no part with this name.
  absl::StatusOr<std::vector<RecordingPart>> ReadParts(const std::string& path);

  // Checks the options against all inputs that have been read so far. Errors:
  // those of CheckEffects.
  absl::Status CheckOptions() const;
  // Returns whether the input at `path`, which has been read, is a recording.
  bool IsRecording(const std::string& path) const;

 private:
  // If `parts` is not null and the input is a recording, sets *parts and
  // returns an empty file.
  absl::StatusOr<ProblemFile> ReadAny(
      const std::string& path, const CsvOptions& csv,
      std::vector<RecordingPart>* parts = nullptr);

  const InputOptions& options_;
  DynamicInput* dynamic_ = nullptr;
  std::vector<SeenInput> seen_;
};

// Removes the descriptions of tensors and the names of operators from the
// problem. Only the records and their constraints remain.
void DropNames(ProblemSpec* problem);

// Returns the message of an error about the records of `problem`, preceded by
// the name of the input and the ids of the records to which the error refers.
std::string DescribeError(const std::string& path, const ProblemSpec& problem,
                          const absl::Status& status);

// Returns `status` with the message of DescribeError and with the same
// payloads.
absl::Status AboutInput(const std::string& path, const ProblemSpec& problem,
                        const absl::Status& status);

// Returns the files that an input consists of. If `path` is a folder, these are
// the sorted paths of all files in it and its subfolders that end in .csv or
// .tflite. Otherwise, returns `path` itself. Errors: those of the system;
// NotFound if a folder has no such file.
absl::StatusOr<std::vector<std::string>> ExpandInput(const std::string& path);

// Returns InvalidArgument if "-" is given twice, since standard input can be
// read only once.
absl::Status CheckStandardInput(absl::Span<const std::string> paths);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_INPUTS_H_
