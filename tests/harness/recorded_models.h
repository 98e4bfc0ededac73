// SPDX-License-Identifier: Apache-2.0
// Lists real models whose outputs were recorded by other runtimes, with a
// tolerance for each model.
#ifndef STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_
#define STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_

#include <string>
#include <vector>

namespace stowage::harness {

struct RecordedModel {
  const char* name;
  // The largest accepted difference of an output, in steps for integers and
  // absolute for floating point. It is the difference between two trusted
  // runtimes, and 0 if they agree bit for bit. If only one runtime was
  // recorded, it is 1e-4 for floating point.
  double tolerance;
  // True if the model takes seconds under sanitizers.
  bool is_large;
};

// Returns all models, sorted by name.
const std::vector<RecordedModel>& RecordedModels();

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_RECORDED_MODELS_H_
