// SPDX-License-Identifier: Apache-2.0
// Makes models as compilers for accelerators write them: they have operators
// "ethos-u" beside others, and a plan in which their tensors overlap
// intentionally.
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
  std::vector<size_t> operands;  // of accelerators, placed by the plan
  // The verdict if custom overlaps are allowed: "sound" or "undecided".
  std::string verdict;
};

// Returns models with one operator of an accelerator before, after or between
// others, with two of them, and with a variable.
std::vector<AcceleratorModel> AcceleratorModels();

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_
