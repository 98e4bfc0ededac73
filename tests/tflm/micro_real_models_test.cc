// SPDX-License-Identifier: Apache-2.0
// Tests that the plans under the rules `micro` equal, byte for byte, the plans
// that a device made for real models.

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/support/real_data.h"
#include "tests/tflm/device_recordings.h"

namespace stowage {
namespace {

using support::RealDataFolder;

TEST(MicroRealModelsTest, RecordsAndHeadAreThoseOfTheDevice) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  const absl::optional<std::string> golden = RealDataFolder("STOWAGE_GOLDEN");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  if (!golden) GTEST_SKIP() << "STOWAGE_GOLDEN is not set";
  size_t compared = 0;
  for (const auto& [path, manifest] : DeviceRecordings(*models, *golden)) {
    SCOPED_TRACE(path);
    if (!manifest.contains("plan")) continue;
    const absl::StatusOr<ModelTrace> model = ReadModelTrace(
        path, [](absl::string_view bytes, absl::string_view name) {
          return ParseMicroTrace(bytes, name);
        });
    ASSERT_TRUE(model.ok()) << model.status();
    ProblemSpec spec;
    spec.records = model->problem.records;
    const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
    ASSERT_TRUE(problem.ok()) << problem.status();
    const absl::StatusOr<Solution> solution =
        Solve(*problem, "micro_first_fit");
    ASSERT_TRUE(solution.ok()) << solution.status();
    const nlohmann::json& plan = manifest["plan"];
    ASSERT_EQ(plan.size(), model->problem.records.size());
    for (size_t i = 0; i < plan.size(); ++i) {
      SCOPED_TRACE(plan[i].dump());
      EXPECT_EQ(plan[i]["size"], model->problem.records[i].tensor_size);
      EXPECT_EQ(plan[i]["first"], model->problem.records[i].first_task);
      EXPECT_EQ(plan[i]["last"], model->problem.records[i].last_task);
      EXPECT_EQ(plan[i]["offset"], solution->offsets()->offsets[i]);
    }
    EXPECT_EQ(manifest["arena"]["head_nonpersistent"],
              solution->offsets()->total_size);
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

}  // namespace
}  // namespace stowage
