// SPDX-License-Identifier: Apache-2.0
#include "src/cli/inputs.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/cli/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/problem.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

bool HasTraceName(absl::string_view path) {
  return absl::EndsWith(path, ".csv") || absl::EndsWith(path, ".tflite");
}

// A dangling link, or a file without access, is left to the reader: its error
// names the path.
bool MayBeRead(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_type type = entry.status(error).type();
  return error || type == fs::file_type::regular;
}

absl::StatusOr<Trace> ReadTraceUnder(const std::string& path,
                                     const InputOptions& options) {
  switch (options.lifetimes) {
    case LifetimeRules::kCpu:
      return harness::ReadCpuTrace(path, options.csv, options.model);
    case LifetimeRules::kMicro:
      return ReadMicroTrace(path, options.csv, options.model);
    case LifetimeRules::kPlain:
      break;
  }
  return ReadTrace(path, options.csv, options.model);
}

}  // namespace

std::string InputName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

absl::StatusOr<ModelTrace> ReadModel(const std::string& path,
                                     const InputOptions& options) {
  switch (options.lifetimes) {
    case LifetimeRules::kCpu:
      return harness::ReadCpuModelTrace(path, options.model);
    case LifetimeRules::kMicro:
      return ReadMicroModelTrace(path, options.model);
    case LifetimeRules::kPlain:
      break;
  }
  return ReadModelTrace(path, options.model);
}

absl::StatusOr<Trace> ReadInput(const std::string& path,
                                const InputOptions& options) {
  absl::StatusOr<Trace> trace = ReadTraceUnder(path, options);
  if (!trace.ok()) return trace;
  const absl::Status records = CheckUsageRecords(trace->records);
  if (records.ok()) return trace;
  return absl::Status(records.code(), DescribeError(path, *trace, records));
}

ProblemSpec ProblemSpecOf(const Trace& trace, PlanKind kind,
                          absl::optional<size_t> alignment) {
  ProblemSpec spec;
  spec.kind = kind;
  spec.records = trace.records;
  spec.names = trace.ids;
  if (alignment) {
    spec.alignment = *alignment;
  } else {
    spec.alignments = trace.alignments;
  }
  const absl::Span<const absl::optional<size_t>> fixed = trace.fixed_offsets();
  spec.fixed_offsets.assign(fixed.begin(), fixed.end());
  spec.place_first = trace.place_first;
  return spec;
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
