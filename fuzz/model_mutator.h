// SPDX-License-Identifier: Apache-2.0
// Changes models in ways that the reader still accepts, because only files that
// the reader accepts exercise the code that runs after reading.
#ifndef STOWAGE_FUZZ_MODEL_MUTATOR_H_
#define STOWAGE_FUZZ_MODEL_MUTATOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace stowage {

// Changes the model in the first `size` bytes of `data` in one to four places:
// a shape, a type, a constant, quantization, an operator's kind, inputs or
// options, a list of the graph, or the description. Usually also resizes
// constants to match their shapes. If the input is not a model, or the changed
// model needs more than `max_size` bytes, changes bytes instead. Returns the
// new size.
size_t MutateModel(uint8_t* data, size_t size, size_t max_size,
                   unsigned int seed);

// Usually changes bytes, which exercises the reader. For one seed out of
// `period`, changes the model instead, which exercises the code that runs after
// reading. Returns the new size.
size_t MutateModelOrBytes(uint8_t* data, size_t size, size_t max_size,
                          unsigned int seed, unsigned int period);

// Changes only the description. Returns the new size.
size_t MutateDescription(uint8_t* data, size_t size, size_t max_size);

// Joins two models and writes the result to `out`. The result is the first
// model, followed by the operators of the second model; these operators read
// some tensors of the first model in place of the second model's inputs.
// Returns the size of the result, or 0 if `out` is too small or an input is not
// a model.
size_t JoinModels(absl::Span<const uint8_t> first,
                  absl::Span<const uint8_t> second, unsigned int seed,
                  absl::Span<uint8_t> out);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_MUTATOR_H_
