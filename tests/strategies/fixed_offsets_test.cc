// SPDX-License-Identifier: Apache-2.0
// Tests fixed offsets. Every strategy that supports fixed offsets preserves
// them, and OPTIMAL proves the smallest total size that is possible with them.
// The recorded results were found by trying every byte position of every
// record.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/base/random.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

struct PinnedCase {
  std::string name;
  ProblemSpec spec;
  absl::optional<size_t> total;  // none if fixed records overlap
};

std::vector<PinnedCase> LoadPinnedCases() {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/vectors/vectors_pinned_public.jsonl");
  std::vector<PinnedCase> cases;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    PinnedCase pinned;
    pinned.name = json.at("name");
    std::vector<ByteRecord> records;
    for (const nlohmann::json& record : json.at("problem").at("records")) {
      const size_t end = record.at("upper");
      records.push_back({record.at("size"), record.at("lower"), end - 1});
      pinned.spec.alignments.push_back(record.value("alignment", size_t{1}));
      absl::optional<size_t> fixed;
      if (record.contains("fixed")) fixed = record.at("fixed").get<size_t>();
      pinned.spec.fixed_offsets.push_back(fixed);
    }
    pinned.spec.records = std::move(records);
    if (json.at("answer").at("status") == "optimal") {
      pinned.total = json.at("answer").at("total").get<size_t>();
    }
    cases.push_back(std::move(pinned));
  }
  return cases;
}

SolveOptions OptionsByNodes(uint64_t nodes) {
  SolveOptions options;
  options.node_budget = nodes;
  options.threads = 1;
  return options;
}

TEST(FixedOffsets, AreProvedOptimalAroundAndInfeasibleWhereTheyOverlap) {
  size_t optimal = 0;
  size_t infeasible = 0;
  for (const PinnedCase& pinned : LoadPinnedCases()) {
    SCOPED_TRACE(pinned.name);
    const auto problem = Problem::Create(pinned.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto solution = Solve(*problem, "optimal", OptionsByNodes(1000000));
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (!pinned.total) {
      EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
      EXPECT_EQ(solution->conflict.size(), 2u);
      ++infeasible;
      continue;
    }
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
    EXPECT_EQ(solution->total_size, *pinned.total);
    EXPECT_EQ(solution->lower_bound, *pinned.total);
    ++optimal;
  }
  EXPECT_EQ(optimal, 123u);
  EXPECT_EQ(infeasible, 27u);
}

TEST(FixedOffsets, EveryCapacityBelowTheOptimumIsInfeasible) {
  for (PinnedCase& pinned : LoadPinnedCases()) {
    SCOPED_TRACE(pinned.name);
    if (!pinned.total) continue;
    for (const size_t capacity : {*pinned.total - 1, *pinned.total}) {
      pinned.spec.capacity = capacity;
      const auto problem = Problem::Create(pinned.spec);
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto solution = Solve(*problem, "optimal", OptionsByNodes(1000000));
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_EQ(solution->status, capacity < *pinned.total
                                      ? SolutionStatus::kInfeasible
                                      : SolutionStatus::kOptimal);
    }
  }
}

// Solve verifies each plan, including the fixed offsets.
TEST(FixedOffsets, EveryStrategyThatSupportsThemHonoursThem) {
  std::vector<std::string> supporters;
  for (const Strategy* strategy : AllStrategies()) {
    if (!strategy->info().features.Has(Feature::kFixedOffsets)) continue;
    const std::string& name = strategy->info().name;
    supporters.push_back(name);
    for (const PinnedCase& pinned : LoadPinnedCases()) {
      if (!pinned.total) continue;
      SCOPED_TRACE(name + " " + pinned.name);
      const auto problem = Problem::Create(pinned.spec);
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto solution = Solve(*problem, *strategy, OptionsByNodes(1000));
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_GE(solution->total_size, *pinned.total);
    }
  }
  EXPECT_THAT(supporters, ::testing::IsSupersetOf(
                              {"greedy_best", "greedy_by_breadth",
                               "greedy_by_size", "optimal", "skyline"}));
}

// Returns a spec of a thousand records. About one in `one_in` records is fixed
// at its offset in a plan of all records.
ProblemSpec PartOfAPlan(uint64_t seed, uint64_t one_in) {
  Random random(seed);
  ProblemSpec spec;
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < 1000; ++i) {
    const size_t first = random.Below(200);
    records.push_back(
        {64 * (1 + random.Below(300)), first, first + random.Below(12)});
  }
  spec.records = std::move(records);
  spec.alignment = 64;
  const auto problem = Problem::Create(spec);
  EXPECT_TRUE(problem.ok());
  const auto plan = Solve(*problem, "greedy_by_size", OptionsByNodes(0));
  EXPECT_TRUE(plan.ok());
  for (const size_t offset : plan->offsets()->offsets) {
    absl::optional<size_t> fixed;
    if (random.Below(one_in) == 0) fixed = offset;
    spec.fixed_offsets.push_back(fixed);
  }
  return spec;
}

TEST(FixedOffsets, AreHonouredAmongAThousandRecords) {
  for (const uint64_t one_in : {uint64_t{2}, uint64_t{20}}) {
    const auto problem = Problem::Create(PartOfAPlan(one_in, one_in));
    ASSERT_TRUE(problem.ok()) << problem.status();
    for (const Strategy* strategy : AllStrategies()) {
      if (!strategy->info().features.Has(Feature::kFixedOffsets)) continue;
      const auto solution = Solve(*problem, *strategy, OptionsByNodes(20000));
      ASSERT_TRUE(solution.ok())
          << strategy->info().name << ": " << solution.status();
      EXPECT_GE(solution->total_size, LowerBoundOf(*problem).bytes);
    }
  }
}

TEST(FixedOffsets, GiveTheSamePlanOnAnyNumberOfThreads) {
  const auto problem = Problem::Create(PartOfAPlan(3, 10));
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options = OptionsByNodes(support::Sampled(30000));
  const auto one = Solve(*problem, "optimal", options);
  ASSERT_TRUE(one.ok()) << one.status();
  options.threads = 3;
  const auto three = Solve(*problem, "optimal", options);
  ASSERT_TRUE(three.ok()) << three.status();
  EXPECT_EQ(one->offsets()->offsets, three->offsets()->offsets);
  EXPECT_EQ(one->nodes, three->nodes);
}

// With few records, the strategy waits until all constructions have finished,
// so the result does not depend on which construction finishes first.
TEST(FixedOffsets, OfFewRecordsGiveTheSamePlanWithADeadline) {
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Minutes(10));
  for (const PinnedCase& pinned : LoadPinnedCases()) {
    if (!pinned.total) continue;
    SCOPED_TRACE(pinned.name);
    const auto problem = Problem::Create(pinned.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    options.threads = 1;
    const auto one = Solve(*problem, "optimal", options);
    ASSERT_TRUE(one.ok()) << one.status();
    options.threads = 3;
    const auto three = Solve(*problem, "optimal", options);
    ASSERT_TRUE(three.ok()) << three.status();
    EXPECT_EQ(one->offsets()->offsets, three->offsets()->offsets);
    EXPECT_EQ(one->found_by, three->found_by);
  }
}

TEST(FixedOffsets, NearTheEndOfTheAddressSpace) {
  constexpr size_t kHigh = std::numeric_limits<size_t>::max() - 4096;
  ProblemSpec spec;
  spec.records = std::vector<ByteRecord>{{100, 0, 1}, {30, 1, 2}, {0, 0, 2}};
  spec.fixed_offsets = {kHigh, absl::nullopt, kHigh - 5};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const char* strategy : {"greedy_best", "skyline", "optimal"}) {
    const auto solution = Solve(*problem, strategy, OptionsByNodes(1000));
    ASSERT_TRUE(solution.ok()) << strategy << ": " << solution.status();
    EXPECT_EQ(solution->status, SolutionStatus::kOptimal) << strategy;
    EXPECT_EQ(solution->total_size, kHigh + 100) << strategy;
    EXPECT_THAT(solution->offsets()->offsets, ElementsAre(kHigh, 0, kHigh - 5));
  }
}

// There is room for 10 bytes below the fixed record, but the other record needs
// 11. The total size is therefore known without a search.
TEST(FixedOffsets, RaiseTheLowerBoundByTheRoomThatTheyLeave) {
  ProblemSpec spec;
  spec.records = std::vector<ByteRecord>{{4, 0, 0}, {11, 0, 1}};
  spec.fixed_offsets = {10, absl::nullopt};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(LowerBoundOf(*problem).bytes, 15u);
  const auto solution = Solve(*problem, "optimal", OptionsByNodes(1000));
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
  EXPECT_EQ(solution->total_size, 25u);
  EXPECT_FALSE(solution->bound_proof.kind == BoundProof::Kind::kSearch);
  EXPECT_EQ(solution->reason,
            "the fixed records leave no room for a plan below 25 bytes");
}

// A fixed record without bytes is above all other records. Its offset is the
// smallest total size, although no other record ends there. All sizes are
// multiples of 10 bytes, but this offset is not always a multiple of 10. Greedy
// plans are larger than the optimum.
TEST(FixedOffsets, OfNoBytesAboveAllOthersAreTheTotal) {
  const std::pair<size_t, std::vector<ByteRecord>> cases[] = {{310,
                                                               {{40, 10, 13},
                                                                {70, 6, 11},
                                                                {30, 17, 18},
                                                                {40, 8, 11},
                                                                {40, 10, 15},
                                                                {70, 2, 8},
                                                                {80, 3, 5},
                                                                {80, 9, 14},
                                                                {80, 15, 21},
                                                                {40, 11, 16},
                                                                {30, 14, 19},
                                                                {90, 4, 8},
                                                                {80, 12, 16},
                                                                {30, 4, 10}}},
                                                              {530,
                                                               {{40, 4, 18},
                                                                {10, 6, 12},
                                                                {50, 25, 32},
                                                                {90, 14, 26},
                                                                {80, 8, 10},
                                                                {80, 6, 14},
                                                                {80, 10, 17},
                                                                {80, 26, 27},
                                                                {90, 4, 11},
                                                                {50, 11, 17},
                                                                {80, 12, 21},
                                                                {70, 0, 14},
                                                                {50, 16, 19},
                                                                {50, 1, 13},
                                                                {40, 13, 14}}}};
  for (const auto& [least, records] : cases) {
    for (const size_t above : {size_t{3}, size_t{10}}) {
      ProblemSpec spec;
      spec.records = records;
      spec.records.push_back({0, 0, 0});
      spec.fixed_offsets.resize(spec.records.size());
      spec.fixed_offsets.back() = least + above;
      const auto problem = Problem::Create(std::move(spec));
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto solution = Solve(*problem, "optimal", OptionsByNodes(20000));
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
      EXPECT_EQ(solution->total_size, least + above);
    }
  }
}

}  // namespace
}  // namespace stowage
