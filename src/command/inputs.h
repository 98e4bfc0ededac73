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

// Options for reading an input. The field `csv` applies only to traces. The
// fields `recording` and `part` apply only to recordings, and most other fields
// only to models.
struct InputOptions {
  CsvOptions csv;
  ModelTraceOptions model;
  LifetimeRules lifetimes = LifetimeRules::kPlain;
  // Says which operators are replaced by shadows, and which shapes are given.
  // Shadows have an effect only under the lifetime rules `cpu`; the shapes have
  // one under all rules.
  harness::TraceShadows shadows;
  // Says which copies between functions a program makes. If it is not set, the
  // options in each file decide.
  absl::optional<ProgramCopies> copies;
  // The options that say whether and how models are planned as programs.
  ProgramAsk program;
  // Says whether it is an error if a tensor has an unknown extent. Otherwise
  // such an extent is planned as 1.
  bool is_strict = false;
  // The same shapes as in `shadows`, except that an extent may be the name of a
  // parameter. Also lists the parameters.
  harness::ShapeParameters open;
  RecordingOptions recording;
  std::string part = {};  // a part of a recording; empty for the largest
  // The value at which problems with parameters are read; empty if there is
  // none.
  std::string at = {};
  // The options of the command line that set these fields.
  std::vector<OptionLimit> limits = {};
};

// A file and the path that it was read from.
struct NamedFile {
  std::string path;
  ProblemFile file;
  bool is_recording = false;
};

// The message for a wrong use of --certificate: a certificate is asked for, but
// the plan also chooses the order of the tasks, or which records share one
// place. Certificates do not cover such choices.
constexpr absl::string_view kNoCertificates =
    "--certificate: certificates know neither programs nor plans that choose "
    "groups, the order of the tasks, or pairs in one place; expected an input "
    "without such choices";

// Returns InvalidArgument if --sharing groups is given together with --streams.
absl::Status CheckSharing(const InputOptions& options);

// Checks the options of shadows, the kernels without arithmetic that replace
// operators (stowage/harness/shadow.h). Error: InvalidArgument if shadows are
// requested but the lifetime rules are not `cpu`, the only ones that need
// kernels.
absl::Status CheckShadows(const InputOptions& options);

// Returns the problem to solve for a plan of the given kind. `alignment`, if
// given, replaces the alignments of all records.
ProblemSpec SpecFor(ProblemSpec spec, PlanKind kind,
                    absl::optional<size_t> alignment = absl::nullopt);

// Returns the number of groups to which the records of a problem belong.
size_t CountGroups(const ProblemSpec& problem);

// Describes an input for CheckEffects by the name of its format.
SeenInput SeenInputOf(const std::string& path, const std::string& format);

// Describes the operators whose shapes depend on data. The tensors of these
// operators are missing from the records. Returns an empty string if there are
// no such operators.
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
// the recording as soon as the format is known, even if reading then fails.
// Errors: those of ReadProblemFile and harness::ParseTrace; InvalidArgument if
// the file is neither a model nor a recording.
absl::StatusOr<TraceInput> ReadTraceInput(const std::string& path,
                                          const InputOptions& options,
                                          std::string* format);

// Reads the inputs of one command line, and remembers their kinds.
// Distinguishes traces, problems and models by content.
class InputReader {
 public:
  // `options` must outlive the reader.
  explicit InputReader(const InputOptions& options) : options_(options) {}

  // Lets later calls accept a problem with parameters without --at. These calls
  // keep the problem in `input` and return an empty file (dynamic_inputs.h).
  // Without KeepDynamic, such a problem is an error.
  void KeepDynamic(DynamicInput* input) { dynamic_ = input; }

  // Returns the contents of a CSV file, a problem file, a model or standard
  // input ("-"). If the problem leaves the order of its tasks free, the file
  // must contain a plan. The tasks are then returned in the order that the plan
  // chose. Errors: those of ReadProblemFile; InvalidArgument or OutOfRange if
  // CheckUsageRecords refuses the records; Unimplemented if the order is free
  // and the file does not choose one; InvalidArgument if the chosen order is
  // not valid. The message names the input.
  absl::StatusOr<ProblemFile> Read(const std::string& path);
  // Reads an input as Read does, except that a free order of tasks stays free.
  // The file therefore need not be a plan.
  absl::StatusOr<ProblemFile> ReadProblem(const std::string& path);
  // Reads one input as ReadProblem does, or several as one program
  // (ReadTogether of program_inputs.h).
  absl::StatusOr<ProblemFile> ReadProblems(
      const std::vector<std::string>& paths);
  // Reads a plan, which may have only ids and places
  // (CsvOptions::accept_places_alone).
  absl::StatusOr<ProblemFile> ReadPlan(const std::string& path);
  // Reads all parts of a recording, or only the one that the options name. Any
  // other input is returned as one part without a name, with the file that Read
  // returns. Errors: those of Read and ReadRecording; InvalidArgument if there
  // is no such part.
  absl::StatusOr<std::vector<RecordingPart>> ReadParts(const std::string& path);

  // Checks the options against all inputs read so far, and returns the error
  // that CheckEffects reports for them.
  absl::Status CheckOptions() const;
  // Returns whether an input that was read is a recording.
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
// problem, so that only the records and their constraints remain.
void DropNames(ProblemSpec* problem);

// Returns the message of an error about the records of `problem`. The name of
// the input and the ids of the records to which the error refers come before
// the message.
std::string DescribeError(const std::string& path, const ProblemSpec& problem,
                          const absl::Status& status);

// Returns the status with the message of DescribeError. Payloads are kept.
absl::Status AboutInput(const std::string& path, const ProblemSpec& problem,
                        const absl::Status& status);

// If the path is a folder, returns the sorted paths of all files in the folder
// and its subfolders that end in .csv or .tflite. Returns any other path as it
// is. Errors: those of the system; NotFound if a folder has no such file.
absl::StatusOr<std::vector<std::string>> ExpandInput(const std::string& path);

// Returns InvalidArgument if "-" is given twice, since standard input can be
// read only once.
absl::Status CheckStandardInput(absl::Span<const std::string> paths);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_INPUTS_H_
