// SPDX-License-Identifier: Apache-2.0
// Converts models between the bytes of a file and tables that can be changed.
#ifndef STOWAGE_FUZZ_PACKED_MODEL_H_
#define STOWAGE_FUZZ_PACKED_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "model_schema/model_generated.h"

namespace stowage {

// Returns the tables, or null if the bytes are not a model.
std::unique_ptr<tflite::ModelT> Unpack(absl::Span<const uint8_t> bytes);

// Returns the bytes of the model. Also writes the fields that have their
// default values, so that options can be changed in place.
std::vector<uint8_t> Pack(const tflite::ModelT& model);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_PACKED_MODEL_H_
