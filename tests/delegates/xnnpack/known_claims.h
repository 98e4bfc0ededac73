// SPDX-License-Identifier: Apache-2.0
// Reads a table of the nodes in real models that XNNPACK is known to run.
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
  // partition and the same output computed by the interpreter's kernels. In
  // quantization steps if the output is quantized.
  double difference = 0;
};
// Returns the known models by name.
std::map<std::string, KnownModel> AllKnownModels();

// Returns the names of the known models, as parameters of tests.
std::vector<std::string> KnownModels();
std::string TestNameOf(const testing::TestParamInfo<std::string>& info);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_
