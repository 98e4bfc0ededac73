// SPDX-License-Identifier: Apache-2.0
// Tests that real models compute the same bytes when the delegate `reference`
// runs random parts of them. This tests partitions, their order, and the
// lifetimes of the tensors inside partitions, under every strategy.
//
// The environment variable STOWAGE_MASKS sets the number of random choices of
// nodes for each model; the default is 6. Each choice runs under one strategy,
// and the next choice runs under the next strategy. If STOWAGE_EVERY_STRATEGY
// is set, each choice runs under every strategy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/reference/reference_run.h"
#include "tests/harness/recorded_models.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using support::kIsSanitized;

size_t MaskCount() {
  size_t count = 0;
  const char* const text = std::getenv("STOWAGE_MASKS");
  if (text != nullptr && absl::SimpleAtoi(text, &count)) return count;
  return kIsSanitized ? 2 : 6;
}

std::vector<std::string> OffsetStrategies() {
  std::vector<std::string> names = {""};
  for (const Strategy* strategy : AllStrategies()) {
    if (strategy->info().features.Has(Feature::kOffsets)) {
      names.push_back(strategy->info().name);
    }
  }
  return names;
}

// Returns the strategies for running choice number `mask`.
std::vector<std::string> StrategiesOf(size_t mask) {
  const std::vector<std::string> all = OffsetStrategies();
  if (std::getenv("STOWAGE_EVERY_STRATEGY") != nullptr) return all;
  return {all[mask % all.size()]};
}

using Random = std::minstd_rand;

size_t Below(size_t end, Random* random) {
  return std::uniform_int_distribution<size_t>(0, end - 1)(*random);
}

ApplyOptions AnyOptions(size_t nodes, Random* random) {
  ApplyOptions options;
  // Claims each node with a probability of density / 10. Low densities lead to
  // many small partitions, and high ones to a few large partitions.
  const size_t densities[] = {1, 3, 5, 8, 9, 10};
  const size_t density = densities[Below(std::size(densities), random)];
  options.claim.emplace();
  for (size_t node = 0; node < nodes; ++node) {
    if (Below(10, random) < density) {
      options.claim->push_back(static_cast<int>(node));
    }
  }
  options.limits = PartitionLimits{static_cast<int>(Below(4, random)),
                                   static_cast<int>(Below(4, random))};
  return options;
}

// Returns random options, except for the strategy, which is not set.
InterpreterOptions AnyPlan(Random* random) {
  InterpreterOptions options;
  options.io_lifetime =
      Below(2, random) == 0 ? IoLifetime::kKeep : IoLifetime::kUse;
  options.moves_arena = Below(2, random) == 0;
  return options;
}

class ReferenceModelTest : public testing::TestWithParam<RecordedModel> {
 protected:
  void SetUp() override {
    const auto models = support::RealDataFolder("STOWAGE_MODELS");
    if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    if (kIsSanitized && GetParam().is_large) {
      GTEST_SKIP() << "large models are run without sanitizers only";
    }
    auto model =
        Model::Read(absl::StrCat(*models, "/", GetParam().name, ".tflite"));
    ASSERT_THAT(model, IsOk());
    model_ = *std::move(model);
  }

  // In a model with state, faults may become visible only in a later
  // invocation.
  size_t invocations() const { return GetParam().is_large ? 1 : 3; }

  std::unique_ptr<const Model> model_;
};

TEST_P(ReferenceModelTest, GivesTheSameBits) {
  const auto plain = RunWith(*model_, {}, {}, invocations());
  ASSERT_THAT(plain, IsOk());
  std::vector<std::string> texts;
  for (const std::string& text : ReferenceTexts()) {
    if (IsDynamicText(text) || !plain->is_dynamic) texts.push_back(text);
  }
  Random random(7);
  const size_t nodes = model_->subgraphs()[0].operators.size();
  for (size_t mask = 0; mask < MaskCount(); ++mask) {
    InterpreterOptions plan = AnyPlan(&random);
    std::vector<ReferenceUse> uses(1 + Below(2, &random));
    for (ReferenceUse& use : uses) {
      use = {texts[Below(texts.size(), &random)], AnyOptions(nodes, &random)};
    }
    for (const std::string& strategy : StrategiesOf(mask)) {
      plan.strategy = strategy;
      SCOPED_TRACE(absl::StrCat("mask ", mask, " by ", uses.front().text,
                                ", strategy '", strategy, "'"));
      const auto run = RunWith(*model_, plan, uses, invocations());
      ASSERT_THAT(run, IsOk());
      EXPECT_TRUE(run->outputs == plain->outputs);
    }
  }
}

// If one partition contains the whole model, its workspace is at most 5 %
// larger than the lower bound of the tensors in the arena without the delegate.
TEST_P(ReferenceModelTest, PlansItsWorkspaceCloseToTheBound) {
  const auto plain = RunWith(*model_, {}, {}, 1);
  ASSERT_THAT(plain, IsOk());
  if (plain->is_dynamic) GTEST_SKIP() << "a shape depends on data";
  const auto run = RunWith(*model_, {}, {{"reference", {}}}, 1);
  ASSERT_THAT(run, IsOk());
  ASSERT_EQ(run->delegates[0].partitions.size(), 1U);
  const size_t bound = OffsetsLowerBound(plain->plan.Records().records);
  EXPECT_LE(run->delegates[0].workspace_bytes, bound + bound / 20);
}

std::string NameOf(const testing::TestParamInfo<RecordedModel>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, ReferenceModelTest,
                         testing::ValuesIn(RecordedModels()), NameOf);

}  // namespace
}  // namespace stowage::harness
