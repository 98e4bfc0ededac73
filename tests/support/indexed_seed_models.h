// SPDX-License-Identifier: Apache-2.0
// Builds seed models (seed_models.h) of operators that locate elements by
// indices, blocks or segments.
#ifndef STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_
#define STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_

#include "src/tflite/model_draft.h"

namespace stowage {

// Returns a model that splits an image into blocks, joins them, and replaces a
// part of the image.
ModelSpec SeedBlocks();

// Returns a model that reverses, selects and scatters elements.
ModelSpec SeedSelection();

// Returns a model with sparse weights. The file contains three of the six
// weights.
ModelSpec SeedSparse();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_INDEXED_SEED_MODELS_H_
