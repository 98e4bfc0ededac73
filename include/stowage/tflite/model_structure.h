// SPDX-License-Identifier: Apache-2.0
// Reads a model without the contents of its constants, for planning. Files from
// which the constants have been removed are also accepted. To run a model, use
// Model::Read; to get only the usage records of a model, use model_trace.h.
#ifndef STOWAGE_TFLITE_MODEL_STRUCTURE_H_
#define STOWAGE_TFLITE_MODEL_STRUCTURE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Like Model::Parse and Model::Read, but leave TensorSpec::data empty for every
// tensor and do not check the bytes of constants.
absl::StatusOr<std::unique_ptr<const Model>> ParseModelStructure(
    absl::string_view bytes, absl::string_view name);
absl::StatusOr<std::unique_ptr<const Model>> ReadModelStructure(
    const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_STRUCTURE_H_
