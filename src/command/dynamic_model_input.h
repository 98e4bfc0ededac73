// SPDX-License-Identifier: Apache-2.0
// Reads models whose shapes have parameters.
#ifndef STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_
#define STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/inputs.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {

// Parses a model that was read from `path`, with the shapes and parameters of
// InputOptions::open, and adds a note about how the sizes were determined. With
// --at, the returned trace has the sizes at these values. Without --at, stores
// the problem in `input` and returns a trace without records. Errors: those of
// harness::ParseTrace, harness::DynamicProblemOfModel and
// DynamicProblem::Create; InvalidArgument if --at is not given and `input` is
// null.
absl::StatusOr<ModelTrace> ParseOpenModel(const std::string& path,
                                          absl::string_view bytes,
                                          absl::string_view name,
                                          const InputOptions& options,
                                          DynamicInput* input);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_
