// SPDX-License-Identifier: Apache-2.0
// The input of a fuzzer as a model. The source beside this header defines
// LLVMFuzzerCustomCrossOver, which makes one model of two, for every fuzzer
// that links it; each has its own LLVMFuzzerCustomMutator, of the functions of
// model_mutator.h.
#ifndef STOWAGE_FUZZ_MODEL_INPUT_H_
#define STOWAGE_FUZZ_MODEL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "stowage/tflite/model.h"

namespace stowage {

// Null for what is not a model; what else the reader may answer ends the
// fuzzer. The model refers to `data`.
std::unique_ptr<const Model> ParseModelInput(const uint8_t* data, size_t size);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_INPUT_H_
