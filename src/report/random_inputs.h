// SPDX-License-Identifier: Apache-2.0
// Inputs drawn from a seed: the same on every machine, so that two runtimes can
// be compared without sending each other files.
//
// One stream of 64-bit numbers x of SplitMix64 (src/core/random.h), never
// reset: invocation by invocation, input by input in the graph's order, element
// by element. float32 (x >> 40) * 2^-23 - 1; int8, uint8 and int16 the top
// bits; int32 and int64 (x >> 32) % 10; bool the top bit.
#ifndef STOWAGE_SRC_REPORT_RANDOM_INPUTS_H_
#define STOWAGE_SRC_REPORT_RANDOM_INPUTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "src/core/random.h"
#include "stowage/harness/tensor.h"

namespace stowage::report {

class RandomInputs {
 public:
  explicit RandomInputs(uint64_t seed) : random_(seed) {}

  // Draws every element. Error: InvalidArgument for a type of element that is
  // not among those above.
  absl::Status Fill(harness::Tensor* tensor);

 private:
  Random random_;
};

}  // namespace stowage::report

#endif  // STOWAGE_SRC_REPORT_RANDOM_INPUTS_H_
