// Strategies hold no state: calls at the same time do not disturb each other.
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"
#include "tests/support/hard_records.h"

namespace stowage {
namespace {

using ::testing::Each;

// Everything that a plan says but for its time, by strategy and kind.
std::vector<std::string> PlansOfAll(
    const std::vector<TensorUsageRecord<size_t>>& records) {
  std::vector<std::string> plans;
  for (const Strategy* strategy : AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      PlanOptions options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      options.search.node_budget = 2000;
      options.search.threads = 2;
      const absl::StatusOr<PlanResult> plan = Plan(records, options);
      plans.push_back(absl::StrCat(options.strategy, " ", PlanKindName(kind)));
      if (!plan.ok()) {
        absl::StrAppend(&plans.back(), ": ", plan.status().ToString());
        continue;
      }
      absl::StrAppend(&plans.back(), ": ", plan->total_size,
                      " bytes, not below ", plan->lower_bound, ", ",
                      plan->report.nodes, " nodes, offsets ",
                      absl::StrJoin(plan->offsets.offsets, " "), ", objects ",
                      absl::StrJoin(plan->objects.object_ids, " "));
    }
  }
  return plans;
}

TEST(StrategyThreadsTest, PlanAtTheSameTimeWhatTheyPlanAlone) {
  constexpr size_t kThreads = 8;
  const auto records = support::HardRecords(8, 120);
  const std::vector<std::string> alone = PlansOfAll(records);
  std::vector<std::vector<std::string>> together(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<std::string>& plans : together) {
    threads.emplace_back([&] { plans = PlansOfAll(records); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(together, Each(alone));
}

}  // namespace
}  // namespace stowage
