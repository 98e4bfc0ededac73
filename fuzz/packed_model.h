// SPDX-License-Identifier: Apache-2.0
// Models between the bytes of a file and tables that can be changed.
#ifndef STOWAGE_FUZZ_PACKED_MODEL_H_
#define STOWAGE_FUZZ_PACKED_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "src/tflite/model_generated.h"

namespace stowage {

// Null for what is no model.
std::unique_ptr<tflite::ModelT> Unpack(absl::Span<const uint8_t> bytes);

// Fields with their default values are written too: options are changed in
// place.
std::vector<uint8_t> Pack(const tflite::ModelT& model);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_PACKED_MODEL_H_
