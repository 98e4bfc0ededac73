// SPDX-License-Identifier: Apache-2.0
// Reads which nodes of real models XNNPACK is known to run.
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
  // The largest difference of a partition's output from that of the kernels, in
  // steps if it is quantized.
  double difference = 0;
};
// Returns the known models by name.
std::map<std::string, KnownModel> AllKnownModels();

// Returns their names, to run a test with each.
std::vector<std::string> KnownModels();
std::string TestNameOf(const testing::TestParamInfo<std::string>& info);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_
