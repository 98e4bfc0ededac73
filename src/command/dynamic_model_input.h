// SPDX-License-Identifier: Apache-2.0
// Reads models whose shapes have parameters.
#ifndef STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_
#define STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "src/command/inputs.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {

struct DynamicModelInput {
  // The problem under the lifetime rules of the options.
  harness::DynamicModel model;
  // The records at the first value, and what was left out.
  ModelTrace first;
};

// Reads a model with the shapes and parameters of InputOptions::open, and notes
// how its sizes were found. Sets `format` to the name of the format of the
// input as soon as it is known, even if reading then fails. Errors: those of
// ReadProblemFile, harness::ParseTrace and harness::DynamicProblemOfModel;
// InvalidArgument if the input is not a model.
absl::StatusOr<DynamicModelInput> ReadDynamicModel(const std::string& path,
                                                   const InputOptions& options,
                                                   std::string* format);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DYNAMIC_MODEL_INPUT_H_
