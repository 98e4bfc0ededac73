// SPDX-License-Identifier: Apache-2.0
// Compares the tools of the constructive planners with plain implementations.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/bottom_left_pass.h"
#include "src/construct/construct.h"
#include "src/construct/gap_list.h"
#include "src/construct/peak_sweep.h"
#include "src/construct/placing_order.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/properties.h"
#include "tests/support/valid_problem.h"

namespace stowage {
namespace {

using support::ValidProblem;
using Records = std::vector<ByteRecord>;

constexpr size_t kAnyLimit = std::numeric_limits<size_t>::max();

// A plain implementation of PlaceBottomLeft: each step examines every record
// and places the one that can be placed lowest.
OffsetsAssignment PlainBottomLeft(const Records& records,
                                  const IntervalRanks& ranks,
                                  const std::vector<uint32_t>& order,
                                  const Alignments& alignments) {
  std::vector<size_t> edges(ranks.tasks.size(), 0);
  std::vector<bool> placed(records.size(), false);
  OffsetsAssignment plan;
  plan.offsets.resize(records.size());
  for (size_t k = 0; k < records.size(); ++k) {
    size_t lowest = kAnyLimit;
    uint32_t chosen = 0;
    for (const uint32_t i : order) {
      const StepInterval x = ranks.intervals[i];
      const size_t edge =
          *std::max_element(edges.begin() + x.begin, edges.begin() + x.end);
      const size_t offset =
          records[i].tensor_size == 0 ? 0 : AlignUp(edge, alignments.Of(i));
      if (placed[i] || offset >= lowest) continue;
      lowest = offset;
      chosen = i;
    }
    placed[chosen] = true;
    plan.offsets[chosen] = lowest;
    const size_t size = records[chosen].tensor_size;
    if (size == 0) continue;
    const StepInterval x = ranks.intervals[chosen];
    std::fill(edges.begin() + x.begin, edges.begin() + x.end, lowest + size);
    plan.total_size = std::max(plan.total_size, lowest + size);
  }
  return plan;
}

RC_GTEST_PROP(SkylineDive, EqualsItsPlainForm, ()) {
  const Records records = *testing::AnyRecords();
  const auto each = *testing::AlignmentLists(records.size());
  const Alignments alignments(each);
  const IntervalRanks ranks = RankIntervals(records);
  const auto order = *PlacingOrders(records, ranks)
                          .By({PlacingKey::kArea, PlacingKey::kLifetime});
  WorkLimit work(WorkLimit::kUnlimited);
  const auto plan = PlaceBottomLeft(ValidProblem(records, alignments), order,
                                    kAnyLimit, &work);
  RC_ASSERT(plan.has_value());
  const OffsetsAssignment plain =
      PlainBottomLeft(records, ranks, order, alignments);
  RC_ASSERT(plan->total_size == plain.total_size);
  // This also compares the offsets of records without bytes, which both
  // PlaceBottomLeft and PlainBottomLeft place at 0.
  RC_ASSERT(plan->offsets == plain.offsets);
}

TEST(SkylineDive, StopsAtTheLimitAndWithoutWork) {
  const Records records = {{6, 0, 2}, {4, 0, 1}, {3, 1, 1}, {5, 2, 2}};
  const Problem problem = ValidProblem(records);
  const std::vector<uint32_t> order = {0, 1, 2, 3};
  WorkLimit plenty(100);
  EXPECT_FALSE(PlaceBottomLeft(problem, order, 13, &plenty));
  const auto plan = PlaceBottomLeft(problem, order, 14, &plenty);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total_size, 13u);
  WorkLimit scarce(4);
  EXPECT_FALSE(PlaceBottomLeft(problem, order, 14, &scarce));
}

// The first record is fixed. The second record fits below it, but the third
// does not.
TEST(SkylineDive, PlacesRecordsAroundFixedOnes) {
  ProblemSpec spec;
  spec.records = Records{{4, 1, 2}, {5, 1, 1}, {7, 0, 1}, {0, 1, 1}};
  spec.alignments = {1, 1, 4, 1};
  spec.fixed_offsets = {6, absl::nullopt, absl::nullopt, 9};
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  WorkLimit work(100);
  const std::vector<uint32_t> order = {0, 1, 2, 3};
  const auto plan = PlaceBottomLeft(*problem, order, kAnyLimit, &work);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->offsets, (std::vector<size_t>{6, 0, 12, 9}));
  EXPECT_EQ(plan->total_size, 19u);
  EXPECT_FALSE(PlaceBottomLeft(*problem, order, 19, &work));
}

struct Held {
  GapList::Block block;
  size_t begin;
  size_t end;
};

// Finds the best fit by trying every byte position at which a block could
// start.
size_t PlainPlace(const std::vector<Held>& held, size_t size) {
  std::vector<Held> sorted = held;
  std::sort(sorted.begin(), sorted.end(),
            [](const Held& a, const Held& b) { return a.begin < b.begin; });
  size_t end = 0;
  size_t best = kAnyLimit;
  size_t least = kAnyLimit;
  for (const Held& block : sorted) {
    const size_t gap = block.begin - end;
    if (gap >= size && gap < least) {
      least = gap;
      best = end;
    }
    end = block.end;
  }
  return best == kAnyLimit ? end : best;
}

RC_GTEST_PROP(GapList, IsBestFitWithGapsJoined, ()) {
  GapList arena;
  std::vector<Held> held;
  for (int k = 0; k < 100; ++k) {
    if (!held.empty() && *rc::gen::inRange(0, 5) < 2) {
      const auto which = *rc::gen::inRange<size_t>(0, held.size());
      arena.Release(held[which].block);
      held.erase(held.begin() + static_cast<ptrdiff_t>(which));
      continue;
    }
    const auto size = *rc::gen::inRange<size_t>(1, 20);
    const size_t want = PlainPlace(held, size);
    const GapList::Block block = arena.Take(size, 1);
    RC_ASSERT(arena.OffsetOf(block) == want);
    held.push_back({block, want, want + size});
  }
}

RC_GTEST_PROP(GapList, AlignsAndNeverOverlaps, ()) {
  GapList arena;
  std::vector<Held> held;
  for (int k = 0; k < 100; ++k) {
    if (!held.empty() && *rc::gen::inRange(0, 5) < 2) {
      const auto which = *rc::gen::inRange<size_t>(0, held.size());
      arena.Release(held[which].block);
      held.erase(held.begin() + static_cast<ptrdiff_t>(which));
      continue;
    }
    const auto size = *rc::gen::inRange<size_t>(1, 20);
    const size_t alignment = size_t{1} << *rc::gen::inRange(0, 4);
    const GapList::Block block = arena.Take(size, alignment);
    const size_t begin = arena.OffsetOf(block);
    RC_ASSERT(begin % alignment == 0);
    RC_ASSERT(begin + size <= arena.top());
    for (const Held& other : held) {
      RC_ASSERT(begin + size <= other.begin || other.end <= begin);
    }
    held.push_back({block, begin, begin + size});
  }
}

RC_GTEST_PROP(PeakSweep, PlansAreSafeFromAnyStep, ()) {
  const Records records = *testing::AnyRecords();
  if (records.empty()) return;
  const auto each = *testing::AlignmentLists(records.size());
  const Alignments alignments(each);
  const IntervalRanks ranks = RankIntervals(records);
  const auto steps = static_cast<uint32_t>(ranks.tasks.size());
  const auto step = *rc::gen::inRange<uint32_t>(0, steps);
  const PeakSweep sweep(records, ranks, alignments, step);
  WorkLimit work(WorkLimit::kUnlimited);
  const auto plan = sweep.Plan(sweep.live(), kAnyLimit, &work);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(testing::CheckPlan(records, *plan, alignments) == absl::OkStatus());
}

// Each record is live at the peak, ends before the peak, or begins after the
// peak, so the sweep can place all records without gaps.
TEST(PeakSweep, IsOptimalForAPyramid) {
  const Records records = {{3, 0, 4}, {5, 1, 4}, {7, 2, 3},
                           {7, 4, 4}, {3, 5, 6}, {2, 5, 6}};
  const IntervalRanks ranks = RankIntervals(records);
  const PlacingOrders orders(records, ranks);
  EXPECT_EQ(orders.peak(), 2u);
  const PeakSweep sweep(records, ranks, Alignments(), orders.peak());
  EXPECT_EQ(sweep.live(), (std::vector<uint32_t>{0, 1, 2}));
  WorkLimit work(100);
  const auto plan = sweep.Plan({0, 1, 2}, kAnyLimit, &work);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->total_size, 15u);
  EXPECT_EQ(plan->offsets, (std::vector<size_t>{0, 3, 8, 8, 0, 3}));
}

TEST(Construct, PadsOnlyWhereAnOffsetHasToBeAligned) {
  // If the sizes were rounded up, their sum would be 3 * 64.
  const Records records = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  OffsetsAssignment best = StackAll(ValidProblem(records, Alignments(64)));
  EXPECT_EQ(best.total_size, 129u);
  const std::vector<size_t> each = {64, 1, 1};
  const Alignments alignments(each);
  const Problem problem = ValidProblem(records, alignments);
  best = StackAll(problem);
  ConstructEffort effort;
  effort.checks = 10000;
  Construct(problem, 0, effort, &best);
  EXPECT_EQ(best.total_size, 3u);
}

RC_GTEST_PROP(Construct, GivesTheSamePlanOnAnyNumberOfThreads, ()) {
  const Records records = *testing::AnyRecords();
  const Problem problem = ValidProblem(records);
  ConstructEffort effort;
  effort.checks = *rc::gen::inRange<uint64_t>(0, 100000);
  OffsetsAssignment one = StackAll(problem);
  OffsetsAssignment three = one;
  const size_t enough = OffsetsLowerBound(records);
  Construct(problem, enough, effort, &one);
  effort.threads = 3;
  Construct(problem, enough, effort, &three);
  RC_ASSERT(one.offsets == three.offsets);
  RC_ASSERT(testing::CheckPlan(records, one) == absl::OkStatus());
}

TEST(WorkLimit, EndsWithItsUnitsAndWithTheSignal) {
  WorkLimit units(3);
  EXPECT_TRUE(units.Spend(2));
  EXPECT_FALSE(units.Spend(2));
  EXPECT_EQ(units.left(), 0u);
  std::atomic<bool> cancelled = false;
  const StopSignal signal = {absl::nullopt, &cancelled};
  WorkLimit work(WorkLimit::kUnlimited, &signal);
  EXPECT_TRUE(work.Spend(5000));
  cancelled = true;
  EXPECT_FALSE(work.Spend(5000));
  EXPECT_FALSE(work.Spend(1));
}

size_t ConstructedTotal(const Records& records, size_t sweeps, size_t passes,
                        size_t fits) {
  const Problem problem = ValidProblem(records);
  OffsetsAssignment best = StackAll(problem);
  ConstructEffort effort;
  effort.checks = 1 << 24;
  effort.tuning.sweeps = sweeps;
  effort.tuning.passes = passes;
  effort.tuning.fits = fits;
  Construct(problem, OffsetsLowerBound(records), effort, &best);
  EXPECT_EQ(testing::CheckPlan(records, best, Alignments()), absl::OkStatus());
  return best.total_size;
}

TEST(Construct, TakesTheSmallestPlan) {
  const Records pass_wins = {{1, 1, 2}, {2, 0, 0}, {4, 0, 1}, {5, 2, 3}};
  EXPECT_EQ(ConstructedTotal(pass_wins, 0, 0, 0), 12u);
  EXPECT_EQ(ConstructedTotal(pass_wins, 4, 0, 0), 10u);
  EXPECT_EQ(ConstructedTotal(pass_wins, 0, 7, 0), 6u);
  EXPECT_EQ(ConstructedTotal(pass_wins, 0, 0, 4), 6u);
  EXPECT_EQ(ConstructedTotal(pass_wins, 4, 7, 4), 6u);
}

}  // namespace
}  // namespace stowage
