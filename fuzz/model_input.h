// SPDX-License-Identifier: Apache-2.0
// Parses the input of a fuzzer as a model. For every fuzzer that links
// model_input.cc, this file also defines LLVMFuzzerCustomCrossOver, which joins
// two models. Each such fuzzer must define its own LLVMFuzzerCustomMutator with
// the functions of model_mutator.h.
#ifndef STOWAGE_FUZZ_MODEL_INPUT_H_
#define STOWAGE_FUZZ_MODEL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "stowage/tflite/model.h"

namespace stowage {

// Returns the model, or null if the input is not a model. Aborts if the reader
// returns any other error. Requires that `data` outlives the model.
std::unique_ptr<const Model> ParseModelInput(const uint8_t* data, size_t size);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_INPUT_H_
