// SPDX-License-Identifier: Apache-2.0
// Small models in which every operator of the harness runs: what fuzzing
// begins with.
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

// By kind of operator. Each is a chain, or a bundle of operators that read the
// same inputs, so that there is memory to share.
std::vector<SeedModel> SeedModels();

// Some of them with a description that calls the interpreter, in the language
// of fuzz/fuzz_run_calls.cc.
std::vector<SeedModel> SeedRunCalls();

// The options of the operator that ends detectors, as that model has them.
std::vector<uint8_t> SeedDetectionOptions();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_SEED_MODELS_H_
