// SPDX-License-Identifier: Apache-2.0
// Tests that real models compute the same bits under every strategy as without
// sharing. Bytes that are not live are filled with a pattern, and every write
// is checked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "tests/harness/recorded_models.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"

namespace stowage::harness {
namespace {

using support::kIsSanitized;
using support::RealDataFolder;

// Returns options for every combination of a strategy, a kind of plan and a
// lifetime of inputs.
std::vector<InterpreterOptions> AllPlans() {
  std::vector<InterpreterOptions> plans;
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    std::vector<std::string> names;
    for (const Strategy* strategy : AllStrategies()) {
      const FeatureSet& features = strategy->info().features;
      if (kind == PlanKind::kOffsets ? features.Has(Feature::kOffsets)
                                     : features.Has(Feature::kObjects)) {
        names.push_back(strategy->info().name);
      }
    }
    for (const std::string& name : names) {
      for (const IoLifetime io : {IoLifetime::kKeep, IoLifetime::kUse}) {
        InterpreterOptions options;
        options.strategy = name;
        options.kind = kind;
        options.io_lifetime = io;
        plans.push_back(options);
      }
    }
  }
  return plans;
}

std::string NameOf(const testing::TestParamInfo<RecordedModel>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class SafeRunTest : public testing::TestWithParam<RecordedModel> {
 protected:
  void SetUp() override {
    const auto models = RealDataFolder("STOWAGE_MODELS");
    if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    if (kIsSanitized && GetParam().is_large) {
      GTEST_SKIP() << "large models are run without sanitizers only";
    }
    auto model =
        Model::Read(absl::StrCat(*models, "/", GetParam().name, ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  // Returns the offsets of the plan. Many strategies make the same plan, so the
  // tests use the offsets to run each plan only once.
  std::vector<absl::optional<size_t>> OffsetsOf(
      const InterpreterOptions& options) {
    const auto interpreter = Interpreter::Create(*model_, options);
    EXPECT_TRUE(interpreter.ok()) << interpreter.status();
    const absl::Status status = (*interpreter)->primary().Allocate();
    EXPECT_TRUE(status.ok()) << status;
    return (*interpreter)->primary().plan().offsets;
  }

  size_t ArenaOf(const InterpreterOptions& options) {
    const auto interpreter = Interpreter::Create(*model_, options);
    EXPECT_TRUE(interpreter.ok()) << interpreter.status();
    EXPECT_TRUE((*interpreter)->primary().Allocate().ok());
    return (*interpreter)->primary().plan().arena_bytes;
  }

  CheckReport Check(const InterpreterOptions& plan) {
    CheckOptions options;
    options.plan = plan;
    options.invocations = GetParam().is_large ? 1 : 2;
    options.feed = InputSource(/*seed=*/1);
    const absl::StatusOr<CheckReport> report =
        CheckPlan(*model_, BuiltinOperators(), options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : CheckReport();
  }

  std::unique_ptr<const Model> model_;
};

TEST_P(SafeRunTest, EveryPlanGivesTheSameBits) {
  std::set<std::vector<absl::optional<size_t>>> done;
  for (const InterpreterOptions& plan : AllPlans()) {
    if (!done.insert(OffsetsOf(plan)).second) continue;
    SCOPED_TRACE(absl::StrCat(plan.strategy, " ", PlanKindName(plan.kind)));
    const CheckReport report = Check(plan);
    EXPECT_TRUE(report.is_safe()) << report.Text();
  }
  EXPECT_GT(done.size(), 1u);
}

// The planner chooses which tensors share memory. The outputs stay the same,
// bit for bit, and the arena is no larger than under the fixed rule.
TEST_P(SafeRunTest, SharingAsAChoiceGivesTheSameBits) {
  for (const IoLifetime io : {IoLifetime::kKeep, IoLifetime::kUse}) {
    for (const char* strategy : {"", "skyline"}) {
      SCOPED_TRACE(absl::StrCat(strategy, io == IoLifetime::kKeep));
      InterpreterOptions fixed;
      fixed.strategy = strategy;
      fixed.io_lifetime = io;
      // If the planner chooses groups, each subgraph is planned by itself, and
      // variables are copied.
      fixed.state_in_place = false;
      InterpreterOptions groups = fixed;
      groups.sharing = Sharing::kGroups;
      const CheckReport report = Check(groups);
      EXPECT_TRUE(report.is_safe()) << report.Text();
      EXPECT_LE(ArenaOf(groups), ArenaOf(fixed));
    }
  }
}

// The default plan is the smallest of several plans, so it is never larger than
// the plan of the CPU planner.
TEST_P(SafeRunTest, TheArenaIsNoLargerThanTheCpuPlanners) {
  InterpreterOptions theirs;
  theirs.strategy = "arena_best_fit";
  EXPECT_LE(ArenaOf({}), ArenaOf(theirs));
}

INSTANTIATE_TEST_SUITE_P(Recorded, SafeRunTest,
                         testing::ValuesIn(RecordedModels()), NameOf);

}  // namespace
}  // namespace stowage::harness
