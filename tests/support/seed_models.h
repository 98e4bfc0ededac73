// SPDX-License-Identifier: Apache-2.0
// Builds small models that together contain every operator of the harness. They
// are the seeds for fuzzing.
#ifndef STOWAGE_TESTS_SUPPORT_SEED_MODELS_H_
#define STOWAGE_TESTS_SUPPORT_SEED_MODELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/tflite/model_draft.h"

namespace stowage {

struct SeedModel {
  std::string name;
  ModelSpec spec;
};

// Returns a model for each kind of operator. The operators of a model form a
// chain or read the same inputs, so that tensors can share memory.
std::vector<SeedModel> SeedModels();

// Returns some of the seed models. Each contains a description of calls of the
// interpreter, in the format that fuzz/fuzz_run_calls.cc reads.
std::vector<SeedModel> SeedRunCalls();

// Returns the options of the operator TFLite_Detection_PostProcess in its seed
// model.
std::vector<uint8_t> SeedDetectionOptions();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_SEED_MODELS_H_
