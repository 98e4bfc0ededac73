// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/read_input.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "src/io/input_file.h"
#include "src/io/other_format.h"
#include "src/io/parse_csv.h"
#include "src/tflite/model_file.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

absl::StatusOr<ModelTrace> ReadWhole(InputFile* file, ModelParser parse) {
  const absl::StatusOr<absl::string_view> contents = file->Contents();
  if (!contents.ok()) return contents.status();
  return parse(*contents, file->name());
}

}  // namespace

absl::StatusOr<ModelTrace> ReadModelWith(const std::string& path,
                                         ModelParser parse) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<absl::string_view> start =
      (*file)->Peek(kFormatStartBytes);
  if (!start.ok()) return start.status();
  // If the first bytes show that the file is not a model, no more is read,
  // since the file may be a stream without end.
  if (!IsModel(*start)) return parse(*start, (*file)->name());
  return ReadWhole(file->get(), parse);
}

absl::StatusOr<Trace> ReadTraceWith(const std::string& path,
                                    const TraceOptions& csv,
                                    ModelParser parse) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return ReadTraceWith(file->get(), absl::EndsWith(path, ".tflite"), csv,
                       parse);
}

absl::StatusOr<Trace> ReadTraceWith(InputFile* file, bool is_called_model,
                                    const TraceOptions& csv,
                                    ModelParser parse) {
  const absl::StatusOr<absl::string_view> start = file->Peek(kFormatStartBytes);
  if (!start.ok()) return start.status();
  if (!IsModel(*start) && !is_called_model) {
    if (absl::Status s = CheckFormat(*start, file->name()); !s.ok()) return s;
    return ParseTraceCsv(file, file->name(), csv);
  }
  absl::StatusOr<ModelTrace> model = ReadWhole(file, parse);
  if (!model.ok()) return model.status();
  return std::move(model->trace);
}

absl::StatusOr<ModelTrace> ReadModelTrace(const std::string& path,
                                          const ModelTraceOptions& options) {
  return ReadModelWith(path,
                       [&](absl::string_view bytes, absl::string_view name) {
                         return ParseModelTrace(bytes, name, options);
                       });
}

absl::StatusOr<Trace> ReadTrace(const std::string& path,
                                const TraceOptions& csv,
                                const ModelTraceOptions& model) {
  return ReadTraceWith(path, csv,
                       [&](absl::string_view bytes, absl::string_view name) {
                         return ParseModelTrace(bytes, name, model);
                       });
}

}  // namespace stowage
