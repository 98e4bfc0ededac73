// SPDX-License-Identifier: Apache-2.0
// Tests plans that are built around local peaks: how much such plans gain, when
// none is made, and whether they are safe.
#include "src/construct/local_peaks.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/best_fit.h"
#include "src/construct/construct.h"
#include "src/construct/placing_order.h"
#include "stowage/base/random.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/properties.h"
#include "tests/support/valid_problem.h"

namespace stowage {
namespace {

using support::ValidProblem;
using Records = std::vector<ByteRecord>;

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

struct Asked {
  size_t limit = kNoLimit;
  size_t shares = 10;
  size_t sweeps = 4;
  uint64_t work = WorkLimit::kUnlimited;
  StopSignal stop = StopSignal();
  std::vector<PlacingKey> rest = {PlacingKey::kCongestion,
                                  PlacingKey::kLifetime};
};

absl::optional<OffsetsAssignment> PlanOf(const Problem& problem,
                                         const Asked& asked = Asked()) {
  const PlacingOrders orders(problem.records(), RanksOf(problem));
  WorkLimit work(asked.work, &asked.stop);
  return PlanAroundLocalPeaks(
      problem, orders, asked.rest,
      {LowerBoundOf(problem).bytes, asked.limit, asked.shares, asked.sweeps},
      asked.stop, &work);
}

// Returns `count` random records, which are live for up to `longest` tasks and
// have sizes of up to a million bytes.
Records ShortLives(size_t count, uint64_t longest, uint64_t seed) {
  Random random(seed);
  Records records;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = 1 + random.Below(1000000);
    const TaskId first = random.Below(count);
    records.push_back({size, first, first + random.Below(longest)});
  }
  return records;
}

size_t Swept(const Problem& problem) {
  OffsetsAssignment best = StackAll(problem);
  ConstructEffort effort;  // without work units, only sweeps are made
  Construct(problem, LowerBoundOf(problem).bytes, effort, &best);
  return best.total_size;
}

TEST(LocalPeaks, ReachTheBoundWhereOneSweepDoesNot) {
  struct {
    const char* name;
    size_t count;
    uint64_t longest;
  } const cases[] = {{"few are live at a time", 5000, 20},
                     {"some are", 20000, 60}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Records records = ShortLives(c.count, c.longest, /*seed=*/1);
    const Problem problem = ValidProblem(records);
    const size_t bound = LowerBoundOf(problem).bytes;
    EXPECT_GT(Swept(problem), bound + bound / 100);
    const auto plan = PlanOf(problem);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->total_size, bound);
    EXPECT_EQ(testing::CheckPlan(records, *plan), absl::OkStatus());
  }
}

TEST(LocalPeaks, AreBetterThanOneSweepShortOfTheBound) {
  const Problem problem = ValidProblem(ShortLives(20000, 200, /*seed=*/1));
  const auto plan = PlanOf(problem);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->total_size, LowerBoundOf(problem).bytes);
  EXPECT_LT(plan->total_size, Swept(problem));
}

// The records are those of training a network. A layer keeps data for its
// gradient from the forward pass to the backward pass, so the breadth rises
// slowly to a single peak.
TEST(LocalPeaks, ReachTheBoundFromTheHighestStepsAlone) {
  constexpr size_t kLayers = 100;
  Random random(8);
  Records records;
  for (TaskId i = 0; i < kLayers; ++i) {
    records.push_back({1 + random.Below(1000), i, 2 * kLayers - i});
  }
  for (TaskId task = 0; task < 2 * kLayers; ++task) {
    for (int k = 0; k < 2; ++k) {
      const size_t size = 1 + random.Below(3000);
      records.push_back({size, task, task + random.Below(4)});
    }
  }
  const Problem problem = ValidProblem(records);
  const size_t bound = LowerBoundOf(problem).bytes;
  Asked asked;
  asked.rest = {PlacingKey::kSize};
  const auto plan = PlanOf(problem, asked);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total_size, bound);
  EXPECT_EQ(testing::CheckPlan(records, *plan), absl::OkStatus());
  asked.shares = 5;
  EXPECT_GT(PlanOf(problem, asked)->total_size, bound);
}

TEST(LocalPeaks, AreNoneWithout) {
  const Records records = ShortLives(5000, 20, /*seed=*/1);
  const Problem problem = ValidProblem(records);
  const size_t bound = LowerBoundOf(problem).bytes;
  const std::atomic<bool> cancelled = true;
  struct {
    const char* name;
    Asked asked;
  } const cases[] = {
      {"a limit above the bound", {bound}},
      {"shares", {kNoLimit, 0}},
      {"sweeps", {kNoLimit, 10, 0}},
      {"work", {kNoLimit, 10, 4, 100}},
      {"time",
       {kNoLimit, 10, 4, WorkLimit::kUnlimited, {absl::nullopt, &cancelled}}},
  };
  for (const auto& c : cases) EXPECT_FALSE(PlanOf(problem, c.asked)) << c.name;
}

// All records are live at the same time, so a single group would contain all of
// them.
TEST(LocalPeaks, AreNoneWhereAllStepsAreBroad) {
  const Records records = {{4, 0, 3}, {3, 1, 2}, {3, 0, 3}};
  EXPECT_FALSE(PlanOf(ValidProblem(records)));
}

TEST(LocalPeaks, AreNoneAroundFixedRecords) {
  ProblemSpec spec;
  spec.records = Records{{9, 0, 1}, {2, 2, 3}, {9, 4, 5}, {1, 6, 6}};
  const auto free = Problem::Create(spec);
  ASSERT_TRUE(free.ok()) << free.status();
  EXPECT_TRUE(PlanOf(*free));
  spec.fixed_offsets = {absl::nullopt, 3, absl::nullopt, absl::nullopt};
  const auto fixed = Problem::Create(spec);
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  EXPECT_FALSE(PlanOf(*fixed));
}

// Shares of the breadth (see local_peaks.h) are computed exactly, both for very
// large breadths and for breadths of less than a hundred bytes.
TEST(LocalPeaks, KnowSharesOfAnyNumberOfBytes) {
  const size_t huge = kNoLimit / 5;
  const Records records = {
      {huge, 0, 0}, {huge, 0, 1}, {9, 2, 3}, {huge, 4, 5}, {huge, 5, 5}};
  const auto plan = PlanOf(ValidProblem(records));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total_size, 2 * huge);
  const Records few = {{1, 0, 0}, {2, 0, 1}, {1, 2, 3}, {2, 4, 5}, {1, 5, 5}};
  const auto small = PlanOf(ValidProblem(few));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->total_size, 3u);
}

RC_GTEST_PROP(LocalPeaks, PlansAreSafeAndBelowTheLimit, ()) {
  const Records records = *testing::AnyRecords();
  const auto each = *testing::AlignmentLists(records.size());
  const Alignments alignments(each);
  const Problem problem = ValidProblem(records, alignments);
  Asked asked;
  asked.limit = LowerBoundOf(problem).bytes + *rc::gen::inRange<size_t>(1, 99);
  const auto plan = PlanOf(problem, asked);
  if (!plan) return;
  RC_ASSERT(plan->total_size < asked.limit);
  RC_ASSERT(testing::CheckPlan(records, *plan, alignments) == absl::OkStatus());
}

// Some records already have the places that best fit assigned to them in an
// earlier run. They keep these places, and the other records get the same
// places as in the earlier run.
RC_GTEST_PROP(PlaceBestFit, GoesOnFromAnyPartOfItsPlan, ()) {
  const Records records = *testing::AnyRecords();
  if (records.empty()) return;
  const Problem problem = ValidProblem(records);
  const auto order = *PlacingOrders(problem.records(), RanksOf(problem))
                          .By({PlacingKey::kSize});
  const OffsetsAssignment whole = PlaceBestFit(problem, order);
  const auto count = *rc::gen::inRange<size_t>(0, records.size() + 1);
  PartialPlan begun;
  begun.plan.offsets.resize(records.size());
  for (size_t k = 0; k < count; ++k) {
    const uint32_t i = order[k];
    begun.plan.offsets[i] = whole.offsets[i];
    begun.plan.total_size = std::max(begun.plan.total_size,
                                     whole.offsets[i] + records[i].tensor_size);
    begun.placed.push_back(i);
  }
  WorkLimit work(WorkLimit::kUnlimited);
  const auto plan = PlaceBestFit(problem, order, begun, kNoLimit, &work);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(plan->offsets == whole.offsets);
  RC_ASSERT(plan->total_size == whole.total_size);
}

// A record of 0 bytes divides gaps, no matter whether it is placed in this run
// or was placed in an earlier one.
TEST(PlaceBestFit, GoesOnAfterARecordWithoutBytes) {
  const Problem problem = ValidProblem(
      {{2, 2, 2}, {1, 0, 2}, {1, 1, 2}, {1, 1, 2}, {0, 0, 0}, {0, 0, 1}});
  const std::vector<uint32_t> order = {0, 1, 2, 3, 4, 5};
  const OffsetsAssignment whole = PlaceBestFit(problem, order);
  for (uint32_t count = 0; count <= order.size(); ++count) {
    PartialPlan begun;
    begun.plan = whole;
    begun.placed.assign(order.begin(), order.begin() + count);
    WorkLimit work(WorkLimit::kUnlimited);
    const auto plan = PlaceBestFit(problem, order, begun, kNoLimit, &work);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->offsets, whole.offsets) << count;
  }
}

TEST(PlaceBestFit, LooksAtItsWorkBeforeAllIsMarkedThatHasAPlace) {
  const Records records = {{4, 0, 1}, {3, 0, 1}, {2, 0, 1}};
  PartialPlan begun;
  begun.plan = {{0, 4, 7}, 9};
  begun.placed = {0, 1, 2};
  WorkLimit plenty(100);
  EXPECT_TRUE(
      PlaceBestFit(ValidProblem(records), {0, 1, 2}, begun, kNoLimit, &plenty));
  WorkLimit scarce(2);
  EXPECT_FALSE(
      PlaceBestFit(ValidProblem(records), {0, 1, 2}, begun, kNoLimit, &scarce));
}

}  // namespace
}  // namespace stowage
