// SPDX-License-Identifier: Apache-2.0
#include "src/command/inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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
#include "src/command/free_order.h"
#include "src/command/notes.h"
#include "src/command/option_limits.h"
#include "src/command/text.h"
#include "src/io/input_file.h"
#include "src/io/read_json.h"
#include "src/tflite/read_input.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/free_order.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/harness/shadow.h"
#include "stowage/problem_file.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

bool HasTraceName(absl::string_view path) {
  return absl::EndsWith(path, ".csv") || absl::EndsWith(path, ".tflite");
}

// Returns whether an attempt should be made to read the entry of a folder. This
// includes dangling links and files without permission, because the error of
// reading them then names their path.
bool MayBeRead(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_type type = entry.status(error).type();
  return error || type == fs::file_type::regular;
}

absl::StatusOr<ModelTrace> ParseModel(absl::string_view bytes,
                                      absl::string_view name,
                                      const InputOptions& options) {
  switch (options.lifetimes) {
    case LifetimeRules::kCpu:
      return harness::ParseCpuTrace(bytes, name, options.model,
                                    options.shadows);
    case LifetimeRules::kMicro: {
      absl::StatusOr<ModelTrace> trace =
          ParseMicroTrace(bytes, name, options.model);
      if (!trace.ok()) return trace;
      absl::Status declared = harness::CheckDeclaredShapes(bytes, name);
      if (!declared.ok()) return declared;
      return trace;
    }
    case LifetimeRules::kPlain:
      break;
  }
  return ParseModelTrace(bytes, name, options.model);
}

// At most this number of warnings is printed, which is enough to show the
// problem.
constexpr size_t kMaxDifferences = 5;

void AppendDifferences(absl::string_view bytes, absl::string_view name,
                       std::vector<std::string>* warnings) {
  const std::vector<harness::ShapeDifference> differences =
      harness::CompareDeclaredShapes(bytes, name);
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
  if (has_shadows || options.shadows.shapes.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--shape: without --shadow; expected both, for operators without a "
      "kernel");
}

size_t CountGroups(const Trace& trace) {
  std::set<uint32_t> groups;
  for (const RecordPlace& place : trace.constraints.places) {
    if (place.group != kNoGroup) groups.insert(place.group);
  }
  return groups.size();
}

std::string InputName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

absl::StatusOr<ModelTrace> ReadModel(const std::string& path,
                                     const InputOptions& options,
                                     std::vector<std::string>* warnings) {
  return ReadModelWith(
      path, [&](absl::string_view bytes, absl::string_view name) {
        absl::StatusOr<ModelTrace> trace = ParseModel(bytes, name, options);
        if (trace.ok()) {
          AddNote(path, trace->trace.note);
          AppendDifferences(bytes, name, warnings);
        }
        return trace;
      });
}

absl::StatusOr<Trace> InputReader::Read(const std::string& path) {
  absl::StatusOr<ProblemFile> file = ReadProblem(path);
  if (!file.ok()) return file.status();
  const auto error = [&path](absl::string_view message) {
    return absl::StrCat(InputName(path), ": ", message);
  };
  if (!file->free_order) return std::move(file->trace);
  if (file->execution_order.empty() && file->free_order->tasks > 0) {
    return absl::UnimplementedError(
        error(R"(order: is "free", and only planning chooses one; expected )"
              R"("partial", lower and upper in every record, or the )"
              "execution_order of a plan"));
  }
  const auto violation =
      FindOrderViolation(*file->free_order, file->execution_order);
  if (violation) {
    return absl::InvalidArgumentError(
        error(absl::StrCat("execution_order: ", Describe(*violation))));
  }
  return TraceInOrder(*file);
}

absl::StatusOr<ProblemFile> InputReader::ReadProblem(const std::string& path) {
  return ReadAny(path, options_.csv);
}

absl::StatusOr<ProblemFile> InputReader::ReadPlan(const std::string& path) {
  TraceOptions csv = options_.csv;
  csv.accept_places_alone = true;
  return ReadAny(path, csv);
}

absl::StatusOr<ProblemFile> InputReader::ReadAny(const std::string& path,
                                                 const TraceOptions& csv) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const bool is_called_model = absl::EndsWith(path, ".tflite");
  const absl::StatusOr<absl::string_view> start =
      (*file)->Peek(problem_file::kProblemStartBytes);
  if (!start.ok()) return start.status();
  seen_.push_back({path, InputKind::kTrace});
  InputKind* const kind = &seen_.back().kind;
  absl::StatusOr<ProblemFile> result = ProblemFile();
  if (!is_called_model && problem_file::IsProblem(*start)) {
    *kind = InputKind::kProblem;
    result = problem_file::ReadJson(file->get(), (*file)->name());
  } else {
    absl::StatusOr<Trace> trace =
        ReadTraceWith(file->get(), is_called_model, csv,
                      [&](absl::string_view bytes, absl::string_view name) {
                        *kind = InputKind::kModel;
                        auto model = ParseModel(bytes, name, options_);
                        if (model.ok()) AddNote(path, DescribeComputed(*model));
                        return model;
                      });
    if (!trace.ok()) return trace.status();
    AddNote(path, trace->note);
    result->trace = *std::move(trace);
  }
  if (!result.ok()) return result;
  const absl::Status records = CheckUsageRecords(result->trace.records);
  if (records.ok()) return result;
  return absl::Status(records.code(),
                      DescribeError(path, result->trace, records));
}

absl::Status InputReader::CheckOptions() const {
  return CheckEffects(options_.limits, seen_);
}

void DropNames(Trace* trace) {
  trace->tensors.clear();
  trace->operators.clear();
}

std::string DescribeError(const std::string& path, const Trace& trace,
                          const absl::Status& status) {
  std::string ids;
  for (const size_t record : RecordsOf(status)) {
    if (record >= trace.ids.size()) continue;
    absl::StrAppend(&ids, ids.empty() ? "id '" : ", '", trace.ids[record], "'");
  }
  return absl::StrCat(InputName(path), ": ", ids, ids.empty() ? "" : ": ",
                      status.message());
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
