// SPDX-License-Identifier: Apache-2.0
// Tests that real models compute the same bits on two to four threads as on one
// thread, and that the checks find plans that are safe for one thread only.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/run_model.h"
#include "stowage/planner.h"
#include "stowage/tflite/model.h"
#include "tests/harness/output_hashes.h"
#include "tests/harness/recorded_models.h"
#include "tests/harness/stacked_plan.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using support::kIsSanitized;
using support::RealDataFolder;

std::unique_ptr<const Model> ReadRecorded(const std::string& name) {
  auto model = Model::Read(
      absl::StrCat(*RealDataFolder("STOWAGE_MODELS"), "/", name, ".tflite"));
  EXPECT_THAT(model, IsOk());
  return model.ok() ? *std::move(model) : nullptr;
}

std::string StreamCaseName(const testing::TestParamInfo<RecordedModel>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class StreamModelsTest : public testing::TestWithParam<RecordedModel> {
 protected:
  void SetUp() override {
    if (!RealDataFolder("STOWAGE_MODELS")) {
      GTEST_SKIP() << "STOWAGE_MODELS is not set";
    }
    if (kIsSanitized && GetParam().is_large) {
      GTEST_SKIP() << "large models are run without sanitizers only";
    }
  }
};

TEST_P(StreamModelsTest, OutputsAreThoseOfOneThread) {
  const auto model = ReadRecorded(GetParam().name);
  ASSERT_NE(model, nullptr);
  RunOptions options;
  options.invocations = 2;
  options.plan.strategy = "naive";
  const auto alone = RunModel(*model, options);
  ASSERT_THAT(alone, IsOk());
  options.plan.planner = StackRecords;
  for (size_t streams = 2; streams <= 4; ++streams) {
    SCOPED_TRACE(streams);
    options.plan.streams = streams;
    options.poison = streams == 2;
    options.touch = streams == 2;
    const auto together = RunModel(*model, options);
    ASSERT_THAT(together, IsOk());
    EXPECT_EQ(HashesOf(together), HashesOf(alone));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StreamModelsTest,
                         testing::ValuesIn(RecordedModels()), StreamCaseName);

// The thread sanitizer would report the planted races as well, so builds with
// this sanitizer leave out these tests.
absl::StatusOr<OffsetsAssignment> PlanSequence(const ArenaRecords& records) {
  ProblemSpec spec;
  spec.records = records.records;
  spec.alignment = 64;
  const auto problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const auto solution = Solve(*problem, "skyline");
  if (!solution.ok()) return solution.status();
  return *solution->offsets();
}

// A plan that is safe for one thread only does no harm if the threads happen to
// run the operators in the order of the file. The test therefore needs only one
// of many runs to show the fault.
TEST(StreamModels, PlansOfTheSequenceAreCaught) {
  if (!RealDataFolder("STOWAGE_MODELS")) {
    GTEST_SKIP() << "STOWAGE_MODELS is not set";
  }
  for (const char* name :
       {"resnet8_i8", "blazeface_front_f32", "hand_recrop_f16w"}) {
    SCOPED_TRACE(name);
    const auto model = ReadRecorded(name);
    ASSERT_NE(model, nullptr);
    RunOptions options;
    options.plan.planner = PlanSequence;
    const auto alone = RunModel(*model, options);
    ASSERT_THAT(alone, IsOk());
    options.plan.streams = 2;
    options.poison = true;
    size_t wrong = 0;
    size_t touched = 0;
    for (int run = 0; run < 1000 && (wrong == 0 || touched == 0); ++run) {
      options.touch = run % 2 == 1;
      const auto together = RunModel(*model, options);
      if (!together.ok()) {
        ASSERT_TRUE(absl::IsDataLoss(together.status())) << together.status();
        ++touched;
      } else if (HashesOf(together) != HashesOf(alone)) {
        ++wrong;
      }
    }
    EXPECT_GT(wrong, 0U);
    EXPECT_GT(touched, 0U);
  }
}

}  // namespace
}  // namespace stowage::harness
