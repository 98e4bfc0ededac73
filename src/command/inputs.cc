// SPDX-License-Identifier: Apache-2.0
#include "src/command/inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_model_input.h"
#include "src/command/notes.h"
#include "src/command/option_limits.h"
#include "src/command/program_inputs.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/harness/shadow.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/recordings/recording.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

bool HasTraceName(absl::string_view path) {
  return absl::EndsWith(path, ".csv") || absl::EndsWith(path, ".tflite");
}

// Returns whether the entry of a folder should be read. This includes dangling
// links and files without permission, because the error of reading such a file
// names its path.
bool MayBeRead(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_type type = entry.status(error).type();
  return error || type == fs::file_type::regular;
}

// Parses a model that was read from `path`, and records its open extents.
absl::StatusOr<ModelTrace> ParseModel(const std::string& path,
                                      absl::string_view bytes,
                                      absl::string_view name,
                                      const InputOptions& options) {
  absl::StatusOr<absl::optional<ProblemFile>> nested =
      ReadNested(bytes, name, options);
  if (!nested.ok()) return nested.status();
  if (*nested) {
    ModelTrace trace;
    trace.problem = std::move((*nested)->problem);
    return trace;
  }
  absl::StatusOr<ModelTrace> model = harness::ParseTrace(
      bytes, name, options.lifetimes, options.model, options.shadows);
  if (!model.ok()) return model;
  const absl::Status status =
      NoteOpenShapes(path, model->open, options.is_strict);
  if (!status.ok()) return status;
  return model;
}

// Returns the formats that verbs read, for ReadProblemFile, which sets *format
// to the name of the format that it finds. `parse` parses models.
FileOptions FormatsOf(ModelParser parse, const InputOptions& options,
                      const CsvOptions& csv, DynamicInput* dynamic,
                      std::string* format) {
  FileOptions formats = {csv, {}, format};
  if (options.program.IsGiven()) {
    formats.formats = ProgramFormats(options);
  } else {
    formats.formats = {ModelFormat(std::move(parse)),
                       ProgramFormat(options.copies)};
  }
  formats.formats.push_back(DynamicInputFormat(options, dynamic));
  for (FileFormat& each :
       RecordingFileFormats(options.recording, options.part)) {
    formats.formats.push_back(std::move(each));
  }
  return formats;
}

// Changes the formats of recordings: they then store all parts in *parts and
// return an empty problem.
void KeepParts(const InputOptions& options, std::vector<RecordingPart>* parts,
               FileOptions* formats) {
  // The first three formats are those of models, of programs, and of problems
  // with parameters. The formats of recordings follow.
  for (size_t i = 3; i < formats->formats.size(); ++i) {
    formats->formats[i].parse =
        [&options, parts](
            absl::string_view bytes,
            absl::string_view name) -> absl::StatusOr<ProblemFile> {
      absl::StatusOr<Recording> recording =
          ParseRecording(bytes, std::string(name), options.recording);
      if (!recording.ok()) return recording.status();
      *parts = std::move(recording->parts);
      return ProblemFile();
    };
  }
}

void AddNotesOf(const std::string& path, const ProblemFile& file) {
  AddNote(path, file.note);
  CountLostEvents(path, file.lost_events);
}

// The maximum number of warnings, which is enough to show the problem.
constexpr size_t kMaxDifferences = 5;

void AppendDifferences(absl::string_view bytes, absl::string_view name,
                       std::vector<std::string>* warnings) {
  std::vector<harness::ShapeDifference> differences =
      harness::CompareDeclaredShapes(bytes, name);
  // Leaves out open extents. They imply nothing about the size, and another
  // note reports them.
  differences.erase(std::remove_if(differences.begin(), differences.end(),
                                   [](const harness::ShapeDifference& found) {
                                     return found.is_open;
                                   }),
                    differences.end());
  for (size_t i = 0; i < differences.size(); ++i) {
    if (i == kMaxDifferences) {
      warnings->push_back(
          absl::StrCat(name, ": ", differences.size() - i,
                       " more tensors declare other sizes than are computed"));
      return;
    }
    warnings->push_back(differences[i].message);
  }
}

}  // namespace

SeenInput SeenInputOf(const std::string& path, const std::string& format) {
  SeenInput seen;
  seen.path = path;
  seen.format = format;
  seen.kind = format == "tflite"    ? InputKind::kModel
              : format == "json"    ? InputKind::kProblem
              : format == "program" ? InputKind::kProgram
              : format == "dynamic" ? InputKind::kDynamic
              : format == "csv"     ? InputKind::kTrace
                                    : InputKind::kRecording;
  return seen;
}

std::string DescribeComputed(const ModelTrace& model) {
  if (model.computed_operators == 0) return "";
  return absl::StrCat("left out the tensors of the last ",
                      Count(model.computed_operators, "operator"),
                      ", whose shapes are known only while the model runs");
}

absl::Status CheckSharing(const InputOptions& options) {
  if (options.model.sharing != Sharing::kGroups || options.model.streams == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--sharing groups: with --streams; expected one of the two");
}

absl::Status CheckShadows(const InputOptions& options) {
  const bool has_shadows = options.shadows.mode != harness::ShadowMode::kNone;
  if (has_shadows && options.lifetimes != LifetimeRules::kCpu) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shadow: with --lifetimes ", LifetimeRulesName(options.lifetimes),
        ", whose rules need no kernels; expected --lifetimes cpu, the default "
        "with --shadow"));
  }
  return absl::OkStatus();
}

size_t CountGroups(const ProblemSpec& problem) {
  std::set<uint32_t> groups;
  for (const RecordPlace& place : problem.constraints.places) {
    if (place.group != kNoGroup) groups.insert(place.group);
  }
  return groups.size();
}

std::string InputName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

absl::StatusOr<TraceInput> ReadTraceInput(const std::string& path,
                                          const InputOptions& options,
                                          std::string* format) {
  TraceInput input;
  const auto parse = [&](absl::string_view bytes, absl::string_view name) {
    absl::StatusOr<ModelTrace> model = ParseModel(path, bytes, name, options);
    if (model.ok()) {
      input.trace = *model;
      // The shapes that the user has given replace the declared shapes, which
      // then need no check.
      if (options.shadows.shapes.empty()) {
        AppendDifferences(bytes, name, &input.warnings);
      }
    }
    return model;
  };
  absl::StatusOr<ProblemFile> file =
      ReadProblemFile(path, FormatsOf(parse, options, {}, nullptr, format));
  if (*format == "other") format->clear();
  if (*format == "csv" || *format == "json" || *format == "program" ||
      *format == "dynamic") {
    format->clear();
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(path),
                     ": is neither a model nor a recording; expected a "
                     ".tflite file, or a format that `stowage trace "
                     "--list-formats` lists"));
  }
  if (!file.ok()) return file.status();
  AddNotesOf(path, *file);
  if (*format != "tflite") {
    input.trace.problem = std::move(file->problem);
  }
  return input;
}

ProblemSpec SpecFor(ProblemSpec spec, PlanKind kind,
                    absl::optional<size_t> alignment) {
  spec.kind = kind;
  if (alignment) {
    spec.alignment = *alignment;
    spec.alignments.clear();
  }
  return spec;
}

absl::StatusOr<ProblemFile> InputReader::Read(const std::string& path) {
  absl::StatusOr<ProblemFile> file = ReadProblem(path);
  if (!file.ok()) return file;
  file = InChosenOrder(*std::move(file));
  if (file.ok()) return file;
  return AboutInput(path, {}, file.status());
}

absl::StatusOr<ProblemFile> InputReader::ReadProblem(const std::string& path) {
  return ReadAny(path, options_.csv);
}

absl::StatusOr<ProblemFile> InputReader::ReadProblems(
    const std::vector<std::string>& paths) {
  if (paths.size() == 1) return ReadProblem(paths.front());
  absl::StatusOr<ProblemFile> file = ReadTogether(paths, options_, &seen_);
  if (!file.ok()) return file;
  const absl::Status records = CheckUsageRecords(file->problem.records);
  if (records.ok()) return file;
  return AboutInput(paths.front(), file->problem, records);
}

absl::StatusOr<ProblemFile> InputReader::ReadPlan(const std::string& path) {
  CsvOptions csv = options_.csv;
  csv.accept_places_alone = true;
  return ReadAny(path, csv);
}

absl::StatusOr<std::vector<RecordingPart>> InputReader::ReadParts(
    const std::string& path) {
  std::vector<RecordingPart> parts;
  absl::StatusOr<ProblemFile> file = ReadAny(path, options_.csv, &parts);
  if (!file.ok()) return file.status();
  if (parts.empty()) {
    file = InChosenOrder(*std::move(file));
    if (!file.ok()) return AboutInput(path, {}, file.status());
    parts.push_back({"", *std::move(file)});
    return parts;
  }
  if (!options_.part.empty()) {
    const std::string first = parts[0].name;
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [this](const RecordingPart& part) {
                                 return part.name != options_.part;
                               }),
                parts.end());
    if (parts.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(InputName(path), ": has no part '", options_.part,
                       "'; expected the name of one, such as '", first, "'"));
    }
  }
  for (const RecordingPart& part : parts) {
    CountLostEvents(path, part.file.lost_events);
    if (part.file.note.empty()) continue;
    AddNote(path, absl::StrCat("part '", part.name, "': ", part.file.note));
  }
  return parts;
}

absl::StatusOr<ProblemFile> InputReader::ReadAny(
    const std::string& path, const CsvOptions& csv,
    std::vector<RecordingPart>* parts) {
  std::string format;
  const auto parse = [&](absl::string_view bytes, absl::string_view name) {
    absl::StatusOr<ModelTrace> model =
        HasParameters(options_.open)
            ? ParseOpenModel(path, bytes, name, options_, dynamic_)
            : ParseModel(path, bytes, name, options_);
    if (model.ok()) AddNote(path, DescribeComputed(*model));
    return model;
  };
  FileOptions formats = FormatsOf(parse, options_, csv, dynamic_, &format);
  if (parts != nullptr) KeepParts(options_, parts, &formats);
  absl::StatusOr<ProblemFile> file = ReadProblemFile(path, formats);
  // CheckOptions reads `seen_` to find options that have no effect. A file
  // without a readable format says nothing about this, so it is not added.
  if (!format.empty() && format != "other") {
    seen_.push_back(SeenInputOf(path, format));
  }
  if (!file.ok()) return file;
  AddNotesOf(path, *file);
  const absl::Status records = CheckUsageRecords(file->problem.records);
  if (records.ok()) return file;
  return AboutInput(path, file->problem, records);
}

absl::Status InputReader::CheckOptions() const {
  return CheckEffects(options_.limits, seen_);
}

bool InputReader::IsRecording(const std::string& path) const {
  return std::any_of(seen_.begin(), seen_.end(), [&](const SeenInput& seen) {
    return seen.path == path && seen.kind == InputKind::kRecording;
  });
}

void DropNames(ProblemSpec* problem) {
  problem->labels.tensors.clear();
  problem->labels.operators.clear();
}

std::string DescribeError(const std::string& path, const ProblemSpec& problem,
                          const absl::Status& status) {
  std::string ids;
  for (const size_t record : RecordsOf(status)) {
    if (record >= problem.names.size()) continue;
    absl::StrAppend(&ids, ids.empty() ? "id '" : ", '", problem.names[record],
                    "'");
  }
  return absl::StrCat(InputName(path), ": ", ids, ids.empty() ? "" : ": ",
                      status.message());
}

absl::Status AboutInput(const std::string& path, const ProblemSpec& problem,
                        const absl::Status& status) {
  return WithMessage(status, DescribeError(path, problem, status));
}

absl::StatusOr<std::vector<std::string>> ExpandInput(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  fs::recursive_directory_iterator entry(path, error);
  for (; !error && entry != fs::end(entry); entry.increment(error)) {
    const std::string file = entry->path().string();
    if (HasTraceName(file) && MayBeRead(*entry)) files.push_back(file);
  }
  if (error) {
    return absl::UnknownError(
        absl::StrCat(path, ": cannot list this folder: ", error.message()));
  }
  if (files.empty()) {
    return absl::NotFoundError(absl::StrCat(
        path,
        ": nothing to read in this folder; expected a .csv or .tflite file"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::Status CheckStandardInput(absl::Span<const std::string> paths) {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "standard input: '-' is given twice; expected once");
}

}  // namespace stowage::cli
