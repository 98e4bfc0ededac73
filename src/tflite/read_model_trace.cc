// SPDX-License-Identifier: Apache-2.0
// Implements ReadModelTrace, and ModelFormat, with which ReadProblemFile can
// also read models.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "stowage/io/input_file.h"
#include "stowage/io/other_format.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/model_file.h"
#include "stowage/tflite/model_trace.h"

namespace stowage {
namespace {

ModelParser PlainParser(const ModelTraceOptions& options) {
  return [options](absl::string_view bytes, absl::string_view name) {
    return ParseModelTrace(bytes, name, options);
  };
}

}  // namespace

absl::StatusOr<ModelTrace> ReadModelTrace(const std::string& path,
                                          const ModelParser& parse) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<absl::string_view> bytes = (*file)->Peek(kFormatStartBytes);
  // If the first bytes show that the file is not a model, stop reading, because
  // the file may be an endless stream.
  if (bytes.ok() && IsModel(*bytes)) bytes = (*file)->Contents();
  if (!bytes.ok()) return bytes.status();
  return parse(*bytes, (*file)->name());
}

absl::StatusOr<ModelTrace> ReadModelTrace(const std::string& path,
                                          const ModelTraceOptions& options) {
  return ReadModelTrace(path, PlainParser(options));
}

FileFormat ModelFormat(ModelParser parse) {
  FileFormat format;
  format.name = "tflite";
  format.detect = [](absl::string_view start, const std::string& path) {
    return IsModel(start) || absl::EndsWith(path, ".tflite");
  };
  format.parse = [parse = std::move(parse)](
                     absl::string_view bytes,
                     absl::string_view name) -> absl::StatusOr<ProblemFile> {
    absl::StatusOr<ModelTrace> model = parse(bytes, name);
    if (!model.ok()) return model.status();
    return ProblemFile{std::move(model->problem), {}, std::move(model->note)};
  };
  return format;
}

FileFormat ModelFormat(const ModelTraceOptions& options) {
  return ModelFormat(PlainParser(options));
}

}  // namespace stowage
