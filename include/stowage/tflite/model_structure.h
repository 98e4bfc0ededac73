// SPDX-License-Identifier: Apache-2.0
// A model without the contents of its constants, for planning: files whose
// constants were cut out are read too. To run a model, read all of it
// (Model::Read); for its usage records alone see model_trace.h.
#ifndef STOWAGE_TFLITE_MODEL_STRUCTURE_H_
#define STOWAGE_TFLITE_MODEL_STRUCTURE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"

namespace stowage {

// As Model::Parse and Model::Read, with TensorSpec::data empty for every
// tensor, and without the errors about the bytes of constants.
absl::StatusOr<std::unique_ptr<const Model>> ParseModelStructure(
    absl::string_view bytes, absl::string_view name);
absl::StatusOr<std::unique_ptr<const Model>> ReadModelStructure(
    const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_STRUCTURE_H_
