// SPDX-License-Identifier: Apache-2.0
// Tests local orders. A local order is a permutation of a given order in which
// records that conflict keep their order, and records that are close in time
// move closer together. Placing records in the given order and in its local
// order yields the same plan.
#include "src/construct/local_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/arena_fit.h"
#include "src/construct/best_fit.h"
#include "stowage/base/random.h"
#include "stowage/problem.h"
#include "tests/support/valid_problem.h"

namespace stowage {
namespace {

using support::ValidProblem;

using Order = std::vector<uint32_t>;

bool Conflict(StepInterval a, StepInterval b) {
  return a.begin < b.end && b.begin < a.end;
}

// Returns the position of each record in an order.
std::vector<size_t> PlacesIn(const Order& order) {
  std::vector<size_t> places(order.size());
  for (size_t k = 0; k < order.size(); ++k) places[order[k]] = k;
  return places;
}

Order AnyOrder(size_t count, uint64_t seed) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (size_t k = count; k > 1; --k) {
    std::swap(order[k - 1], order[random.Below(k)]);
  }
  return order;
}

RC_GTEST_PROP(LocalOrder, LeavesWhatConflictsInOrder, ()) {
  const auto count = *rc::gen::inRange<size_t>(1, 200);
  const auto longest = *rc::gen::element<uint32_t>(2, 10, 100);
  std::vector<StepInterval> intervals;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = *rc::gen::inRange<uint32_t>(0, 300);
    intervals.push_back(
        {begin, begin + *rc::gen::inRange<uint32_t>(1, longest)});
  }
  const Order order = AnyOrder(count, *rc::gen::arbitrary<uint64_t>());
  const Order local = LocalOrder<uint32_t>(
      intervals, order, *rc::gen::element<size_t>(1, 8, 64, 128));
  RC_ASSERT(std::is_permutation(local.begin(), local.end(), order.begin(),
                                order.end()));
  const std::vector<size_t> place = PlacesIn(order);
  const std::vector<size_t> local_place = PlacesIn(local);
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (!Conflict(intervals[a], intervals[b])) continue;
      RC_ASSERT((place[a] < place[b]) == (local_place[a] < local_place[b]));
    }
  }
}

TEST(LocalOrder, BringsTogetherWhatIsCloseInTime) {
  struct Case {
    const char* name;
    std::vector<StepInterval> intervals;
    Order local;  // the local order of 0, 1, 2, ...
  };
  const Case cases[] = {
      {"NoConflicts", {{0, 1}, {8, 9}, {2, 3}, {6, 7}}, {0, 2, 3, 1}},
      {"WhatIsBeforeInTheOrder",
       {{8, 9}, {2, 4}, {6, 7}, {0, 3}},
       {1, 3, 2, 0}},
      {"AChain", {{6, 9}, {4, 7}, {2, 5}, {0, 3}}, {0, 1, 2, 3}},
      {"AllConflict", {{6, 9}, {4, 7}, {3, 7}, {6, 8}}, {0, 1, 2, 3}},
  };
  for (const Case& some : cases) {
    SCOPED_TRACE(some.name);
    EXPECT_EQ(LocalOrder<uint32_t>(some.intervals, {0, 1, 2, 3}, 5),
              (Order{0, 1, 2, 3}))
        << "fewer than a batch are left as they are";
    EXPECT_EQ(LocalOrder<uint32_t>(some.intervals, {0, 1, 2, 3}, 4),
              some.local);
  }
}

TEST(LocalOrder, IsAsGivenWhereTooManyConflict) {
  constexpr size_t kRecords = 20000;
  const std::vector<StepInterval> intervals(kRecords, {0, 1});
  const Order order = AnyOrder(kRecords, 1);
  EXPECT_EQ(LocalOrder<uint32_t>(intervals, order, 4096), order);
}

// Places records of many sizes in a random order and in its local order. Both
// plans must be the same.
RC_GTEST_PROP(LocalOrder, MakesTheSamePlan, ()) {
  const auto count = *rc::gen::inRange<size_t>(1, 100);
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < count; ++i) {
    const auto first = *rc::gen::inRange<TaskId>(0, 100);
    records.push_back({*rc::gen::inRange<size_t>(1, 20), first,
                       first + *rc::gen::inRange<TaskId>(0, 12)});
  }
  const Problem problem = ValidProblem(records);
  const Order order = AnyOrder(count, *rc::gen::arbitrary<uint64_t>());
  const Order local = LocalOrder<uint32_t>(
      RanksOf(problem).intervals, order, *rc::gen::element<size_t>(4, 16, 64));
  RC_ASSERT(PlaceBestFit(problem, order).offsets ==
            PlaceBestFit(problem, local).offsets);
}

// A number of records that exceeds a batch.
constexpr size_t kMany = kLocalBatch + 5000;

TEST(LocalOrder, ChangesNoPlanOfManyRecords) {
  Random random(7);
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < kMany; ++i) {
    const auto first = static_cast<TaskId>(random.Below(kMany));
    records.push_back({1 + random.Below(400), first,
                       first + static_cast<TaskId>(random.Below(8))});
  }
  const Problem problem = ValidProblem(records);
  Order order = AnyOrder(kMany, 1);
  const std::vector<size_t> offsets = PlaceBestFit(problem, order).offsets;
  WorkLimit work(WorkLimit::kUnlimited);
  const auto limited =
      PlaceBestFit(problem, order, std::numeric_limits<size_t>::max(), &work);
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->offsets, offsets);
  // If any record has no bytes, all records are placed in the given order.
  records.push_back({0, 0, 0});
  order.push_back(static_cast<uint32_t>(kMany));
  std::vector<size_t> as_given =
      PlaceBestFit(ValidProblem(records), order).offsets;
  as_given.pop_back();
  EXPECT_EQ(as_given, offsets);
}

TEST(LocalOrder, ChangesNotWhichRecordOfAnArenaHasNoPlace) {
  constexpr size_t kHalf = size_t{1} << 63;
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < kMany; ++i) {
    const auto task = static_cast<TaskId>(i);
    records.push_back({1, task, task});
  }
  // Adds two pairs of records, neither of which fits the arena. The pair at the
  // later task is placed first, so this pair must be reported.
  for (const TaskId task : {kMany - 1, size_t{0}}) {
    records.push_back({kHalf, task, task});
    records.push_back({kHalf, task, task});
  }
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.end() - 4, order.end());
  const ArenaFit fit =
      PlaceArenaFit(records, RankIntervals(records), order, Alignments());
  ASSERT_TRUE(fit.misfit);
  EXPECT_EQ(*fit.misfit, kMany + 1);
}

}  // namespace
}  // namespace stowage
