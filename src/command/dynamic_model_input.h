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
// InputOptions::open, and adds a note that says how the sizes were found.
// Without --at, the problem is kept in `input`, and the trace that is returned
// has no records. With --at, the trace has the sizes at that value. Errors:
// those of harness::ParseTrace, harness::DynamicProblemOfModel and
// DynamicProblem::Create; InvalidArgument if there is no --at and `input` is
// null.
absl::StatusOr<ModelTrace> ParseOpenModel(const std::string& path,
                                          absl::string_view bytes,
                                          absl::string_view name,
                                          const InputOptions& options,
                                          DynamicInput* input);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_
