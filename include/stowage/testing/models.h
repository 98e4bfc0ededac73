// SPDX-License-Identifier: Apache-2.0
// Generates small models with operators, for tests that run a model under a
// plan. For usage records without operators, use random_records.h.
//
//   ModelInstance model = RandomModel(seed, 12);
//   auto parsed = Model::Parse(model.flatbuffer, "random.tflite");
//
// A model is a graph of floating-point operators. All values stay small, so
// every run under any plan gives the same bits.
#ifndef STOWAGE_TESTING_MODELS_H_
#define STOWAGE_TESTING_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

struct ModelInstance {
  std::string flatbuffer;  // a .tflite file
  std::string text;        // has the operators, one on each line
};

// Returns the model that the samples (families.h) determine. The model has one
// input, and one operator for each sample. An operator reads one or two of the
// Parameters::max_life + 1 tensors before it, and is ADD, SUB, MAXIMUM, RELU,
// CONCATENATION, or FULLY_CONNECTED with weights of its own. Tensors that no
// operator reads are outputs. No tensor has more than 256 elements. O(s) for s
// samples.
ModelInstance ModelFromSamples(absl::Span<const Sample> samples,
                               const Parameters& parameters = Parameters());

// Returns the exclusive limit of each number of a sample.
Sample ModelSampleLimits(const Parameters& parameters = Parameters());

// Returns the model that ModelFromSamples makes from `size` random samples. The
// result depends only on the arguments, not on the machine.
ModelInstance RandomModel(uint64_t seed, size_t size,
                          const Parameters& parameters = Parameters());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_MODELS_H_
