// SPDX-License-Identifier: Apache-2.0
// Compares the shared objects of OPTIMAL with the results of an exhaustive
// search and with those of the strategies that OPTIMAL runs first.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "src/construct/linear_program.h"
#include "stowage/base/random.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "tests/strategies/optimal_inputs.h"
#include "tests/support/plan_request.h"
#include "tests/support/real_data.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

TEST(OptimalObjects, AreTheLeastOfAllOfTinyInputs) {
  Random random(7);
  size_t above_bound = 0;
  for (int round = 0; round < 3000; ++round) {
    const Records records = TinyRecords(&random, 7);
    const size_t least = LeastSumOfObjects(records);
    PlanRequest options = ByNodes(1000000);
    options.kind = PlanKind::kObjects;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(plan->status, SolutionStatus::kOptimal) << "round " << round;
    ASSERT_EQ(plan->total_size, least) << "round " << round;
    if (least > ObjectsLowerBound(records)) ++above_bound;
    if (least == 0) continue;
    options.capacity = least - 1;
    const auto none = Plan(records, options);
    ASSERT_TRUE(none.ok()) << none.status();
    ASSERT_EQ(none->status, SolutionStatus::kInfeasible) << "round " << round;
  }
  // The test is meaningful only if some bounds above the simple bound were
  // proved.
  EXPECT_GT(above_bound, 0u);
}

// GREEDY_BEST and MINCOSTFLOW need 30 bytes. Only the search finds a smaller
// plan.
TEST(OptimalObjects, AreFoundBySearch) {
  const Records records = {{8, 7, 7}, {6, 2, 3}, {3, 9, 12}, {3, 3, 5},
                           {5, 1, 3}, {8, 2, 2}, {7, 8, 11}, {4, 7, 8},
                           {9, 2, 4}, {2, 7, 8}, {2, 4, 7},  {4, 9, 10},
                           {7, 8, 9}};
  PlanRequest options = ByNodes(100000);
  options.kind = PlanKind::kObjects;
  const auto plan = Plan(records, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  EXPECT_EQ(plan->total_size, 29u);
  EXPECT_GT(plan->nodes, 0u);
  EXPECT_LT(plan->nodes, 100000u);
  options.capacity = 30;
  const auto within = Plan(records, options);
  ASSERT_TRUE(within.ok()) << within.status();
  EXPECT_EQ(within->total_size, 29u);
  options.search.decide = true;
  const auto first = Plan(records, options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->total_size, 30u);
  EXPECT_EQ(first->nodes, 0u);
}

// The sizes range from 1 to 2^60, so a floating-point sum with the largest
// sizes cannot represent the smallest ones.
TEST(OptimalObjects, AreTheLeastOfSizesOfAllMagnitudes) {
  Random random(13);
  for (int round = 0; round < 500; ++round) {
    Records records = TinyRecords(&random, 7);
    for (ByteRecord& record : records) {
      record.tensor_size <<= random.Below(57);
      record.tensor_size += random.Below(2);
    }
    const size_t least = LeastSumOfObjects(records);
    PlanRequest options = ByNodes(1000000);
    options.kind = PlanKind::kObjects;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_LE(plan->lower_bound, least) << "round " << round;
    ASSERT_GE(plan->total_size, least) << "round " << round;
    ASSERT_EQ(plan->total_size, least) << "round " << round;
  }
}

// All claims of a search are true, no matter how many nodes it may use.
TEST(OptimalObjects, AreBoundedTrulyByAnyNumberOfNodes) {
  Random random(17);
  for (int round = 0; round < 300; ++round) {
    const Records records = TinyRecords(&random, 8);
    const size_t least = LeastSumOfObjects(records);
    for (const uint64_t nodes : {0U, 1U, 2U, 3U, 5U, 8U, 13U, 21U, 34U}) {
      PlanRequest options = ByNodes(nodes);
      options.kind = PlanKind::kObjects;
      const auto plan = Plan(records, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      ASSERT_LE(plan->lower_bound, least) << round << ", " << nodes;
      ASSERT_GE(plan->total_size, least) << round << ", " << nodes;
      ASSERT_LE(plan->nodes, nodes) << round;
    }
  }
}

TEST(OptimalObjects, AreTheSameByNodesEachTime) {
  Random random(19);
  const Records records = TinyRecords(&random, 200);
  PlanRequest options = ByNodes(500);
  options.kind = PlanKind::kObjects;
  const auto first = Plan(records, options);
  options.search.threads = 4;
  const auto second = Plan(records, options);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->objects()->object_ids, second->objects()->object_ids);
  EXPECT_EQ(first->lower_bound, second->lower_bound);
  EXPECT_EQ(first->nodes, second->nodes);
}

// Without the cancellation, the search would take seconds.
TEST(OptimalObjects, AreThereSoonAfterACancellation) {
  Random random(23);
  Records records;
  for (size_t k = 0; k < 1000; ++k) {
    const size_t begin = random.Below(200);
    const size_t end = begin + random.Below(60);
    records.emplace_back(1 + random.Below(1000000), begin, end);
  }
  std::atomic<bool> cancelled{false};
  PlanRequest options;
  options.strategy = "optimal";
  options.kind = PlanKind::kObjects;
  options.search.time_limit_ns = kNoTimeLimit;
  support::TestObserver observer(nullptr, [&] { return !cancelled; });
  options.search.observer = &observer;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancelled = true;
  });
  const auto plan = Plan(records, options);
  later.join();
  ASSERT_TRUE(plan.ok()) << plan.status();
  // The additional two seconds are for slow and busy machines.
  EXPECT_LT(absl::Nanoseconds(plan->time_ns),
            absl::Milliseconds(150) + absl::Seconds(2));
}

// The networks have up to 960 records. The bound proves their plans without
// branching.
TEST(OptimalObjects, OfEveryShippedTraceAreProved) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  for (const std::string& path :
       support::FilesIn(STOWAGE_SOURCE_DIR "/data/traces", "csv")) {
    const auto trace = ReadProblemFile(path);
    ASSERT_TRUE(trace.ok()) << trace.status();
    PlanRequest options = ByNodes(20000);
    options.kind = PlanKind::kObjects;
    const auto plan = Plan(trace->problem.records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->status, SolutionStatus::kOptimal) << path;
    EXPECT_FALSE(plan->bound_proof.kind == BoundProof::Kind::kSearch) << path;
  }
}

TEST(OptimalObjects, AreNeverMoreThanOfGreedyBestAndMinCostFlow) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const Records records = TinyRecords(&random, 60);
    PlanRequest options = ByNodes(20000);
    options.kind = PlanKind::kObjects;
    const auto plan = Plan(records, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const char* other : {"greedy_best", "mincostflow"}) {
      options.strategy = other;
      const auto theirs = Plan(records, options);
      ASSERT_TRUE(theirs.ok()) << theirs.status();
      EXPECT_LE(plan->total_size, theirs->total_size) << other;
    }
  }
}

}  // namespace
}  // namespace stowage
