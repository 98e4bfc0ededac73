// SPDX-License-Identifier: Apache-2.0
// The nodes of real models that XNNPACK is known to run.
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
  // Of a partition's output from that of the kernels: steps of quantized ones.
  double difference = 0;
};
// By name.
std::map<std::string, KnownModel> AllKnownModels();

// The names, to run a test with each.
std::vector<std::string> KnownModels();
std::string TestNameOf(const testing::TestParamInfo<std::string>& info);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_XNNPACK_KNOWN_CLAIMS_H_
