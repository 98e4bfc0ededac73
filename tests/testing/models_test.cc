// SPDX-License-Identifier: Apache-2.0
// Tests that whole models run, and that they compute the same under every plan.
#include "stowage/testing/models.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/testing/generators.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using harness::BuiltinOperators;
using support::IsOk;
using support::Plan;

harness::CheckOptions OptionsFor(const std::string& strategy) {
  harness::CheckOptions options;
  options.plan.strategy = strategy;
  options.feed = [](harness::Subgraph& net, size_t invocation) {
    for (size_t i = 0; i < net.input_count(); ++i) {
      harness::Tensor& input = net.input(i);
      for (size_t k = 0; k < input.bytes / sizeof(float); ++k) {
        input.as<float>()[k] = static_cast<float>(invocation + k) / 8 - 1;
      }
    }
    return absl::OkStatus();
  };
  return options;
}

TEST(RandomModelTest, IsAsLargeAsAskedFor) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{40}}) {
    const ModelInstance model = RandomModel(5, size);
    const auto parsed = Model::Parse(model.flatbuffer, "random.tflite");
    ASSERT_THAT(parsed, IsOk());
    const auto& graph = (*parsed)->subgraphs()[0];
    EXPECT_EQ(graph.operators.size(), size);
    EXPECT_EQ(graph.inputs.size(), 1);
    EXPECT_GE(graph.outputs.size(), 1);
    const std::vector<std::string> lines = absl::StrSplit(model.text, '\n');
    EXPECT_EQ(lines.size(), size + 1);
  }
}

TEST(RandomModelTest, HasEveryOperator) {
  std::set<std::string> names;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto model = Model::Parse(RandomModel(seed, 20).flatbuffer, "m");
    ASSERT_THAT(model, IsOk());
    for (const auto& op : (*model)->subgraphs()[0].operators) {
      names.insert(op.name);
    }
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"ADD", "CONCATENATION", "FULLY_CONNECTED",
                                   "MAXIMUM", "RELU", "SUB"}));
}

TEST(RandomModelTest, ComputesTheSameUnderThePlansOfEveryStrategy) {
  for (const Strategy* strategy : AllStrategies()) {
    if (!strategy->info().features.Has(Feature::kOffsets)) continue;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const ModelInstance instance = RandomModel(seed, 3 + seed * 5);
      const auto model = Model::Parse(instance.flatbuffer, "random.tflite");
      ASSERT_THAT(model, IsOk());
      const auto report = harness::CheckPlan(**model, BuiltinOperators(),
                                             OptionsFor(strategy->info().name));
      ASSERT_THAT(report, IsOk()) << instance.text;
      EXPECT_TRUE(report->is_safe()) << strategy->info().name << "\n"
                                     << instance.text << report->Text();
    }
  }
}

RC_GTEST_PROP(RandomModelTest, HasATraceThatCanBePlanned, ()) {
  const ModelInstance model = *AnyModels();
  const auto trace = ParseModelTrace(model.flatbuffer, "random.tflite");
  RC_ASSERT(trace.ok());
  RC_ASSERT(Plan(trace->problem.records).ok());
}

}  // namespace
}  // namespace stowage::testing
