// SPDX-License-Identifier: Apache-2.0
// Changes of models that leave them models: what is behind the reader is
// reached only by files that the reader takes.
#ifndef STOWAGE_FUZZ_MODEL_MUTATOR_H_
#define STOWAGE_FUZZ_MODEL_MUTATOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace stowage {

// Changes the model in the first `size` bytes of `data` in one to four places:
// a shape, a type, a constant, quantisation, an operator's kind, inputs or
// options, a list of the graph, the description. Most of the time constants
// are then as large as their shapes take. What is no model, or takes more than
// `max_size` bytes afterwards, is changed as bytes. Returns the new size.
size_t MutateModel(uint8_t* data, size_t size, size_t max_size,
                   unsigned int seed);

// Changes bytes, for what reads them, but for one seed in `period`: then the
// model, for what comes after.
size_t MutateModelOrBytes(uint8_t* data, size_t size, size_t max_size,
                          unsigned int seed, unsigned int period);

// Changes nothing but the description.
size_t MutateDescription(uint8_t* data, size_t size, size_t max_size);

// Writes to `out` the first model followed by the operators of the second,
// which read some of the first's tensors in place of their own inputs. Returns
// its size, or 0 if it has no room or either is no model.
size_t JoinModels(absl::Span<const uint8_t> first,
                  absl::Span<const uint8_t> second, unsigned int seed,
                  absl::Span<uint8_t> out);

}  // namespace stowage

#endif  // STOWAGE_FUZZ_MODEL_MUTATOR_H_
