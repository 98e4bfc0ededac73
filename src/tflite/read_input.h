// SPDX-License-Identifier: Apache-2.0
// Reads files that may be traces or models, for readers under any rules.
#ifndef STOWAGE_SRC_TFLITE_READ_INPUT_H_
#define STOWAGE_SRC_TFLITE_READ_INPUT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/io/input_file.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage {

// What makes a trace of the bytes of a model; `name` stands for the file.
using ModelParser = absl::FunctionRef<absl::StatusOr<ModelTrace>(
    absl::string_view bytes, absl::string_view name)>;

// As ReadModelTrace and ReadTrace, with `parse` for models.
absl::StatusOr<ModelTrace> ReadModelWith(const std::string& path,
                                         ModelParser parse);
absl::StatusOr<Trace> ReadTraceWith(const std::string& path,
                                    const TraceOptions& csv, ModelParser parse);
// The same of an open file, of which nothing but its start has been looked at.
// `is_called_model` says that it must be a model, whatever it begins with.
absl::StatusOr<Trace> ReadTraceWith(InputFile* file, bool is_called_model,
                                    const TraceOptions& csv, ModelParser parse);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_READ_INPUT_H_
