// SPDX-License-Identifier: Apache-2.0
// Tests that real models compute the outputs that other runtimes have recorded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/harness/recorded_models.h"
#include "tests/support/real_data.h"
#include "tests/support/temp_folder.h"

namespace stowage::harness {
namespace {

using support::RealDataFolder;
using Verdict = TensorDifference::Verdict;

struct GoldenCase {
  RecordedModel model;
  uint64_t seed;
};

std::vector<GoldenCase> GoldenCases() {
  std::vector<GoldenCase> cases;
  for (const RecordedModel& model : RecordedModels()) {
    for (const uint64_t seed : {uint64_t{1}, uint64_t{7}}) {
      cases.push_back({model, seed});
    }
  }
  return cases;
}

std::string GoldenNameOf(const testing::TestParamInfo<GoldenCase>& info) {
  std::string name =
      absl::StrCat(info.param.model.name, "_seed", info.param.seed);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class GoldenTest : public TempFolderTest,
                   public testing::WithParamInterface<GoldenCase> {
 protected:
  void SetUp() override {
    const auto models = RealDataFolder("STOWAGE_MODELS");
    const auto golden = RealDataFolder("STOWAGE_GOLDEN");
    if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    if (!golden) GTEST_SKIP() << "STOWAGE_GOLDEN is not set";
    golden_ = absl::StrCat(*golden, "/", GetParam().model.name, "/seed",
                           GetParam().seed);
    auto model = Model::Read(
        absl::StrCat(*models, "/", GetParam().model.name, ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    std::ifstream file(golden_ + "/manifest.json");
    ASSERT_TRUE(file) << golden_;
    manifest_ = nlohmann::json::parse(file);
  }

  // Expects that the inputs equal the recorded inputs and that the outputs
  // agree with the recorded outputs. Records the largest differences of the
  // outputs.
  void ExpectOutputsAgree(Sharing sharing);

  RunOptions Options() const {
    RunOptions options;
    options.seed = GetParam().seed;
    options.invocations = manifest_.at("invocations").get<size_t>();
    return options;
  }

  std::string golden_;
  nlohmann::json manifest_;
  std::unique_ptr<const Model> model_;
};

void GoldenTest::ExpectOutputsAgree(Sharing sharing) {
  RunOptions options = Options();
  options.plan.sharing = sharing;
  options.dump = Path("ours");
  const auto result = RunModel(*model_, options);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto theirs = ReadDump(golden_);
  ASSERT_TRUE(theirs.ok()) << theirs.status();
  const auto ours = ReadDump(options.dump);
  ASSERT_TRUE(ours.ok()) << ours.status();
  size_t outputs = 0;
  for (const TensorDifference& d :
       CompareDumps(*theirs, *ours, GetParam().model.tolerance)) {
    if (d.role == "input") {
      EXPECT_EQ(d.verdict, Verdict::kEqual) << d.name;
    }
    if (d.role != "output") continue;
    ++outputs;
    EXPECT_TRUE(d.verdict == Verdict::kEqual || d.verdict == Verdict::kWithin)
        << "invocation " << d.invocation << ", " << d.name << ": " << d.largest
        << " at element " << d.element << ", " << d.different_elements << " of "
        << d.elements << " differ " << d.reason;
    RecordProperty(absl::StrCat("largest_", d.invocation, "_", d.tensor),
                   absl::StrCat(d.largest));
  }
  EXPECT_GT(outputs, 0u);
}

TEST_P(GoldenTest, OutputsAgree) { ExpectOutputsAgree(Sharing::kFixed); }

TEST_P(GoldenTest, OutputsAgreeWhereSharingIsAChoice) {
  ExpectOutputsAgree(Sharing::kGroups);
}

// With the settings of a microcontroller, the arena of the run is never larger
// than the recorded arena, and it is smaller if the recorded arena exceeds the
// lower bound.
TEST_P(GoldenTest, TheArenaIsNoLargerThanTheMicroPlanners) {
  if (!manifest_.contains("arena")) {
    GTEST_SKIP() << "the runtime of this recording has no such arena";
  }
  RunOptions options = Options();
  options.invocations = 1;
  options.plan.io_lifetime = IoLifetime::kUse;
  options.plan.tensor_alignment = 16;
  const auto result = RunModel(*model_, options);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto theirs =
      manifest_.at("arena").at("head_nonpersistent").get<size_t>();
  const auto bound = manifest_.at("arena").at("live_lower_bound").get<size_t>();
  EXPECT_LE(result->arena_bytes, theirs);
  if (theirs > bound) {
    EXPECT_LT(result->arena_bytes, theirs);
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, GoldenTest, testing::ValuesIn(GoldenCases()),
                         GoldenNameOf);

}  // namespace
}  // namespace stowage::harness
