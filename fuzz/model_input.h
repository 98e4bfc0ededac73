// SPDX-License-Identifier: Apache-2.0
// Reads the input of a fuzzer as a model. model_input.cc also defines
// LLVMFuzzerCustomCrossOver, which joins two models, for every fuzzer that
// links it. Each such fuzzer defines its own LLVMFuzzerCustomMutator with the
// functions of model_mutator.h.
#ifndef STOWAGE_FUZZ_MODEL_INPUT_H_
#define STOWAGE_FUZZ_MODEL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "stowage/tflite/model.h"

namespace stowage {

// Returns the model, or null if the input is not a model. Any other error of
// the reader ends the fuzzer. The model refers to `data`.
std::unique_ptr<const Model> ParseModelInput(const uint8_t* data, size_t size);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_INPUT_H_
