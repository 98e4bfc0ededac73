// SPDX-License-Identifier: Apache-2.0
// The models in use that other runtimes have recorded outputs of, and how far
// those runtimes are apart.
#ifndef STOWAGE_TESTS_REPORT_RECORDED_MODELS_H_
#define STOWAGE_TESTS_REPORT_RECORDED_MODELS_H_

#include <string>
#include <vector>

namespace stowage::report {

struct RecordedModel {
  const char* name;
  // The largest difference of an output that counts as agreement: what two
  // trusted runtimes show among themselves, in steps for integers and absolute
  // for floating point; 0 where they agree bit for bit, and 1e-4 for floating
  // point where only one was recorded.
  double tolerance;
  // Takes seconds where sanitizers look on.
  bool is_large;
};

// All of them, by name.
const std::vector<RecordedModel>& RecordedModels();

}  // namespace stowage::report

#endif  // STOWAGE_TESTS_REPORT_RECORDED_MODELS_H_
