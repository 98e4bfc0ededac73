// SPDX-License-Identifier: Apache-2.0
// Builds a small model for tests of readers.
#ifndef STOWAGE_TESTS_SUPPORT_EXAMPLE_MODEL_H_
#define STOWAGE_TESTS_SUPPORT_EXAMPLE_MODEL_H_

#include "src/tflite/model_draft.h"

namespace stowage {

// Returns a model with dequantized weights and a tensor that is read twice.
//
//   weights (f16, constant) -> DEQUANTIZE -> scale (f32)
//   input -> ADD(scale) -> sum -> RELU -> relu -> MUL(sum) -> output
//
//   tensor     0 input  1 weights  2 scale  3 sum  4 relu  5 output
//   operator   0 DEQUANTIZE  1 ADD  2 RELU  3 MUL
ModelSpec ExampleModel();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_EXAMPLE_MODEL_H_
