// SPDX-License-Identifier: Apache-2.0
// Tests problems of recorded models in which a small, fast pool holds only some
// of the records.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "tests/support/constraint_vectors.h"

namespace stowage {
namespace {

// Holds one line of pools_measurements.txt.
struct Measured {
  std::string model;
  size_t capacity = 0;
  // The percentage of the traffic that can go to the fast pool: `flow` if
  // records may be split between the pools, and `whole` if they may not.
  // Negative numbers mean that the percentage is unknown.
  double flow = 0;
  double whole = 0;
};

std::vector<Measured> MeasuredPools(const std::string& model) {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/constraints/pools_measurements.txt");
  std::vector<Measured> measured;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Measured one;
    std::string share;
    std::string cost;
    std::string bar;
    std::string flow;
    std::string whole;
    if (!(words >> one.model >> share >> one.capacity >> cost >> bar >> flow >>
          whole) ||
        one.model != model) {
      continue;
    }
    one.flow = std::strtod(flow.c_str(), nullptr);
    one.whole = std::strtod(whole.c_str(), nullptr);
    measured.push_back(one);
  }
  return measured;
}

// Adds a fast pool of `capacity` bytes and a slow pool in which each use of a
// byte costs 1. Sets `all_slow` to the cost of having all records in the slow
// pool.
ProblemSpec WithPools(ProblemSpec spec, size_t capacity, uint64_t* all_slow) {
  // LoadDag has set the users of each record together with the order.
  spec.constraints.pools = {{"fast", capacity}, {"slow", absl::nullopt}};
  *all_slow = 0;
  for (size_t i = 0; i < spec.records.size(); ++i) {
    const uint64_t cost =
        spec.records[i].tensor_size * spec.constraints.users[i].size();
    *all_slow += cost;
    spec.constraints.choices.push_back({{0, 0}, {1, cost}});
  }
  spec.constraints.order.reset();
  spec.constraints.users = {};
  return spec;
}

TEST(PoolCosts, OfModelsAreThoseOfTheBestWholeSelectionAndProved) {
  size_t lines = 0;
  for (const std::string& model : support::DagModels()) {
    for (const Measured& measured : MeasuredPools(model)) {
      SCOPED_TRACE(absl::StrCat(model, " ", measured.capacity));
      ++lines;
      uint64_t all_slow = 0;
      const auto problem = Problem::Create(
          WithPools(support::LoadDag(model, 2), measured.capacity, &all_slow));
      ASSERT_TRUE(problem.ok()) << problem.status();
      SolveOptions options;
      options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
      const auto solution = Solve(*problem, "optimal", options);
      ASSERT_TRUE(solution.ok()) << solution.status();
      ASSERT_TRUE(solution->has_plan());
      const double kept = 100 - 100 * static_cast<double>(solution->cost) /
                                    static_cast<double>(all_slow);
      EXPECT_LE(kept, measured.flow + 0.005);
      if (measured.whole < 0) continue;
      EXPECT_NEAR(kept, measured.whole, 0.0051);
      EXPECT_EQ(solution->cost, solution->cost_bound);
    }
  }
  EXPECT_EQ(lines, 3 * support::DagModels().size());
}

// There are 30 records on one stream, each of which conflicts with the next. A
// record on another stream conflicts with all of them. There are too many
// assignments of records to pools to try them all.
TEST(PoolCosts, OfStreamsFollowFromWhatIsHeldOnAStream) {
  constexpr size_t kRecords = 30;
  ProblemSpec spec;
  Constraints& constraints = spec.constraints;
  constraints.pools = {{"fast", 10}, {"slow", absl::nullopt}};
  std::vector<TaskId> stream;
  for (TaskId task = 0; task <= kRecords; ++task) stream.push_back(task);
  for (TaskId task = 0; task < kRecords; ++task) {
    spec.records.emplace_back(10, task, task + 1);
    constraints.users.Add({task, task + 1});
    constraints.choices.push_back({{0, 0}, {1, 1}});
  }
  spec.records.emplace_back(1, kRecords + 1, kRecords + 1);
  constraints.users.Add({kRecords + 1});
  constraints.choices.push_back({{1, 0}});
  constraints.order = *TaskOrder::FromStreams({stream, {kRecords + 1}}, {});
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan());
  EXPECT_EQ(solution->cost, kRecords / 2);
  EXPECT_EQ(solution->cost_bound, solution->cost);
}

}  // namespace
}  // namespace stowage
