// SPDX-License-Identifier: Apache-2.0
// Lists real models with outputs recorded by other runtimes, and the tolerance
// for each.
#ifndef STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_
#define STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_

#include <string>
#include <vector>

namespace stowage::harness {

struct RecordedModel {
  const char* name;
  // The largest accepted difference of an output: that between two trusted
  // runtimes, in steps for integers and absolute for floating point. It is 0
  // where they agree bit for bit, and 1e-4 for floating point where only one
  // runtime was recorded.
  double tolerance;
  // True if the model takes seconds under sanitizers.
  bool is_large;
};

// Returns all models in the order of their names.
const std::vector<RecordedModel>& RecordedModels();

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_
