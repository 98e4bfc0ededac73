// SPDX-License-Identifier: Apache-2.0
// Models as compilers for accelerators write them: operators "ethos-u" beside
// others, and a plan in which their tensors overlap by intent.
#ifndef STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_
#define STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/tflite/model_draft.h"

namespace stowage::support {

struct AcceleratorModel {
  std::string name;
  ModelSpec spec;  // with the plan
  std::vector<int32_t> offsets;
  std::vector<size_t> operands;  // of accelerators, which the plan places
  // With custom overlaps allowed: "sound" or "undecided".
  std::string verdict;
};

// One operator of an accelerator before, after and between others; two; with a
// variable.
std::vector<AcceleratorModel> AcceleratorModels();

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_
