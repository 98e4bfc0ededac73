// SPDX-License-Identifier: Apache-2.0
// Reads a table of the nodes of real models that XNNPACK is known to run.
#ifndef STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_
#define STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::harness {

struct KnownModel {
  std::set<int> nodes;
  // The largest difference between an output that XNNPACK computes for a
  // partition and the same output of the interpreter's kernels. For a quantized
  // output, the difference is in steps.
  double difference = 0;
};
// Returns the known models. The keys are their names.
std::map<std::string, KnownModel> AllKnownModels();

// Returns the names of the known models, as parameters of tests.
std::vector<std::string> KnownModels();
std::string TestNameOf(const testing::TestParamInfo<std::string>& info);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_
