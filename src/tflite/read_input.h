// SPDX-License-Identifier: Apache-2.0
// Reads files that may be traces or models. The caller provides the function
// that makes a trace of a model.
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

// A function that makes a trace from the bytes of a model. In messages `name`
// stands for the file.
using ModelParser = absl::FunctionRef<absl::StatusOr<ModelTrace>(
    absl::string_view bytes, absl::string_view name)>;

// Read a file as ReadModelTrace and ReadTrace do, but make a trace of a model
// by calling `parse`.
absl::StatusOr<ModelTrace> ReadModelWith(const std::string& path,
                                         ModelParser parse);
absl::StatusOr<Trace> ReadTraceWith(const std::string& path,
                                    const TraceOptions& csv, ModelParser parse);
// Reads a trace in the same way from a file that is open already, of which only
// the start has been read. `is_called_model` says that the file must be a
// model, whatever it begins with.
absl::StatusOr<Trace> ReadTraceWith(InputFile* file, bool is_called_model,
                                    const TraceOptions& csv, ModelParser parse);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_READ_INPUT_H_
