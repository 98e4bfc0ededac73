#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_file.h"
#include "src/trace/input_file.h"
#include "src/trace/parse_csv.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

absl::StatusOr<ModelTrace> ReadModel(InputFile* file,
                                     const ModelTraceOptions& options) {
  const absl::StatusOr<absl::string_view> contents = file->Contents();
  if (!contents.ok()) return contents.status();
  return ParseModelTrace(*contents, file->name(), options);
}

}  // namespace

absl::StatusOr<ModelTrace> ReadModelTrace(const std::string& path,
                                          const ModelTraceOptions& options) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<absl::string_view> start =
      (*file)->Peek(kModelStartBytes);
  if (!start.ok()) return start.status();
  // A file that is not a model is rejected by its first bytes: it may be a
  // stream without end.
  if (!IsModel(*start)) return ParseModelTrace(*start, path, options);
  return ReadModel(file->get(), options);
}

absl::StatusOr<Trace> ReadTrace(const std::string& path,
                                const TraceOptions& csv,
                                const ModelTraceOptions& model) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<absl::string_view> start =
      (*file)->Peek(kModelStartBytes);
  if (!start.ok()) return start.status();
  if (!IsModel(*start) && !absl::EndsWith(path, ".tflite")) {
    return ParseTraceCsv(file->get(), (*file)->name(), csv);
  }
  absl::StatusOr<ModelTrace> result = ReadModel(file->get(), model);
  if (!result.ok()) return result.status();
  return std::move(result->trace);
}

}  // namespace stowage
