// SPDX-License-Identifier: Apache-2.0
// Changes models so that the reader still accepts them. This is necessary
// because only such files reach the code behind the reader.
#ifndef STOWAGE_FUZZ_MODEL_MUTATOR_H_
#define STOWAGE_FUZZ_MODEL_MUTATOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace stowage {

// Changes the model in the first `size` bytes of `data` in one to four places:
// a shape, a type, a constant, quantisation, an operator's kind, inputs or
// options, a list of the graph, the description. Usually it then resizes
// constants to match their shapes. If the input is not a model, or the result
// takes more than `max_size` bytes, it changes bytes instead. Returns the new
// size.
size_t MutateModel(uint8_t* data, size_t size, size_t max_size,
                   unsigned int seed);

// Changes bytes, which exercises the reader. For one seed in `period` it
// changes the model instead, which exercises the code behind the reader.
// Returns the new size.
size_t MutateModelOrBytes(uint8_t* data, size_t size, size_t max_size,
                          unsigned int seed, unsigned int period);

// Changes only the description. Returns the new size.
size_t MutateDescription(uint8_t* data, size_t size, size_t max_size);

// Writes to `out` the first model, followed by the operators of the second
// model, which read some tensors of the first in place of their own inputs.
// Returns the size, or 0 if `out` is too small or an input is not a model.
size_t JoinModels(absl::Span<const uint8_t> first,
                  absl::Span<const uint8_t> second, unsigned int seed,
                  absl::Span<uint8_t> out);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_MUTATOR_H_
