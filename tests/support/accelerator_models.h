// SPDX-License-Identifier: Apache-2.0
// Makes models like those that compilers for accelerators write. Such a model
// has operators "ethos-u" beside other operators, and contains a plan in which
// tensors overlap intentionally.
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
  ModelSpec spec;  // the model, which contains the plan
  std::vector<int32_t> offsets;
  // The tensors of accelerators that have an offset in the plan.
  std::vector<size_t> operands;
  // The verdict on the plan if operators of accelerators may overlap their
  // tensors: "sound" or "undecided".
  std::string verdict;
};

// Returns several models. In some of them one operator of an accelerator comes
// before, after or between other operators. Other models have two operators of
// accelerators, or a variable.
std::vector<AcceleratorModel> AcceleratorModels();

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_
