// SPDX-License-Identifier: Apache-2.0
// Makes seed models (seed_models.h) of operators that find elements by indices,
// blocks or segments.
#ifndef STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_
#define STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_

#include "src/tflite/model_draft.h"

namespace stowage {

// Returns a model that divides an image into blocks, joins them, and replaces a
// part of the image.
ModelSpec SeedBlocks();

// Returns a model that reverses, selects and scatters elements.
ModelSpec SeedSelection();

// Returns a model with sparse weights. The file has three of six weights.
ModelSpec SeedSparse();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_
