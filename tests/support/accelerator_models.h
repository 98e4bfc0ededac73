// SPDX-License-Identifier: Apache-2.0
// Builds models like those written by compilers for accelerators. Such a model
// has "ethos-u" operators as well as other operators, and contains a plan in
// which tensors overlap intentionally.
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
  // The verdict on the plan if the operators of accelerators may overlap their
  // tensors: "sound" or "undecided".
  std::string verdict;
};

// Returns several models. Some of them have one accelerator operator before,
// after or between other operators. The others have two accelerator operators,
// or a variable.
std::vector<AcceleratorModel> AcceleratorModels();

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_ACCELERATOR_MODELS_H_
