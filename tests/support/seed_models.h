// SPDX-License-Identifier: Apache-2.0
// Makes small models in which every operator of the harness runs. Fuzzing
// begins with them.
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

// Returns a model for each kind of operator. Each is a chain, or a bundle of
// operators that read the same inputs, so that there is memory to share.
std::vector<SeedModel> SeedModels();

// Returns some of these models with a description of calls of the interpreter,
// in the language of fuzz/fuzz_run_calls.cc.
std::vector<SeedModel> SeedRunCalls();

// Returns the options of the operator at the end of detectors, as the seed
// model of detection has them.
std::vector<uint8_t> SeedDetectionOptions();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_SEED_MODELS_H_
