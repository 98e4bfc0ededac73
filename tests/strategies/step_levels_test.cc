// SPDX-License-Identifier: Apache-2.0
// Tests the levels that a search keeps for each step: what each function
// returns, and that 16-bit and 64-bit levels give the same results.
#include "optimal/exact/step_levels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/step_rows.h"
#include "rapidcheck/gtest.h"

namespace stowage::optimal {
namespace {

// The highest maximum level that uses 16 bits, and the lowest one that uses 64
// bits.
constexpr Level kMaxOfEach[] = {kMaxNarrow, kMaxNarrow + 1};

TEST(StepLevels, IsNarrowUpToTheLargestNumberOfARow) {
  EXPECT_TRUE(StepLevels(1, kMaxNarrow).is_narrow());
  EXPECT_FALSE(StepLevels(1, kMaxNarrow + 1).is_narrow());
}

TEST(StepLevels, AnswersForWhatRemains) {
  for (const Level max : kMaxOfEach) {
    SCOPED_TRACE(max);
    StepLevels levels(20, max);
    EXPECT_EQ(levels.MaxRemaining(0, 20), 0);
    levels.AddRemaining({2, 12, 5});
    levels.AddRemaining({11, 20, 7});
    EXPECT_EQ(levels.MaxRemaining(0, 2), 0);
    EXPECT_EQ(levels.MaxRemaining(0, 3), 5);
    EXPECT_EQ(levels.MaxRemaining(0, 20), 12);
    EXPECT_EQ(levels.MaxRemaining(12, 20), 7);
    EXPECT_EQ(levels.MaxRemaining(4, 4), 0);
    EXPECT_TRUE(levels.RemainsAtMost({0, 11, 1}, 5));
    EXPECT_FALSE(levels.RemainsAtMost({0, 12, 1}, 11));
    EXPECT_TRUE(levels.RemainsAtMost({0, 12, 1}, 12));
    levels.RemoveRemaining({2, 12, 5});
    EXPECT_EQ(levels.MaxRemaining(0, 11), 0);
    EXPECT_EQ(levels.MaxRemaining(0, 12), 7);
  }
}

TEST(StepLevels, AnswersForWhatCanGetUnderAnItem) {
  for (const Level max : kMaxOfEach) {
    SCOPED_TRACE(max);
    StepLevels levels(20, max);
    EXPECT_EQ(levels.FindLowest({0, 20, 1}), LevelPair(kMaxLevel, kMaxLevel));
    levels.Cover({3, 12, 10}, 4);
    levels.Cover({9, 17, 2}, 6);
    EXPECT_EQ(levels.FindLowest({0, 3, 1}), LevelPair(kMaxLevel, kMaxLevel));
    EXPECT_EQ(levels.FindLowest({0, 4, 1}), LevelPair(4, 14));
    EXPECT_EQ(levels.FindLowest({0, 10, 1}), LevelPair(4, 8));
    EXPECT_EQ(levels.FindLowest({12, 20, 1}), LevelPair(6, 8));
    levels.ClearLowest(0, 12);
    EXPECT_EQ(levels.FindLowest({0, 12, 1}), LevelPair(kMaxLevel, kMaxLevel));
    EXPECT_EQ(levels.FindLowest({0, 13, 1}), LevelPair(6, 8));
  }
}

TEST(StepLevels, CoversOnlyWhereTheRestFits) {
  for (const Level max : kMaxOfEach) {
    SCOPED_TRACE(max);
    StepLevels levels(20, max);
    levels.AddRemaining({10, 15, 9});
    EXPECT_FALSE(levels.CoverWhereFits({0, 10, 3}, 2, 8));
    EXPECT_FALSE(levels.CoverWhereFits({10, 13, 6}, 1, 9));
    EXPECT_TRUE(levels.CoverWhereFits({12, 20, 4}, 0, 8));
    EXPECT_EQ(levels.FindLowest({0, 10, 1}).second, 5);
    EXPECT_EQ(levels.FindLowest({10, 15, 1}).second, 7);
    EXPECT_EQ(levels.FindLowest({13, 15, 1}).second, kMaxLevel);
    EXPECT_EQ(levels.FindLowest({15, 20, 1}).second, 4);
    // Steps 10 to 12 determine the results, because items with a total size of
    // 9 still have to be placed there.
    EXPECT_EQ(levels.HighestWhereBlocked(Extent{0, 13, 1}, 8), 7);
    EXPECT_EQ(levels.HighestWhereBlocked(Extent{0, 13, 1}, 9), 0);
    EXPECT_EQ(levels.HighestWhereBlocked(Extent{0, 14, 1}, 8), kMaxLevel);
    EXPECT_EQ(levels.HighestWhereBlocked(10, 8), 7);
    EXPECT_EQ(levels.HighestWhereBlocked(9, 8), 0);
  }
}

TEST(StepLevels, AnswersForWhatIsAbove) {
  for (const Level max : kMaxOfEach) {
    SCOPED_TRACE(max);
    StepLevels levels(20, max);
    EXPECT_TRUE(levels.FitsAbove({5, 18, 4}, 4));
    levels.AddAbove(0, 8, 3);
    levels.AddAbove(9, 9, 100);
    levels.AddAbove(9, 2, 100);
    EXPECT_FALSE(levels.FitsAbove({7, 9, 2}, 8));
    EXPECT_EQ(levels.above(4), 3);
    EXPECT_EQ(levels.above(7), 9);
    EXPECT_EQ(levels.above(8), 6);
    EXPECT_EQ(levels.above(9), 4);
    EXPECT_EQ(levels.above(18), 0);
    EXPECT_EQ(levels.MaxAbove(8, 20), 6);
    levels.ClearAbove(7, 12);
    EXPECT_EQ(levels.MaxAbove(7, 12), 0);
    EXPECT_EQ(levels.above(6), 7);
    EXPECT_EQ(levels.above(12), 4);
  }
}

TEST(StepLevels, HoldsTheLargestNumber) {
  StepLevels levels(9, kMaxNarrow);
  levels.AddRemaining({0, 9, kMaxNarrow});
  EXPECT_EQ(levels.MaxRemaining(0, 9), kMaxNarrow);
  EXPECT_TRUE(levels.RemainsAtMost({0, 9, 1}, kMaxNarrow));
  EXPECT_FALSE(levels.RemainsAtMost({0, 9, 1}, kMaxNarrow - 1));
  levels.Cover({0, 9, 1}, kMaxNarrow - 1);
  EXPECT_EQ(levels.FindLowest({0, 9, 1}),
            LevelPair(kMaxNarrow - 1, kMaxNarrow));
  EXPECT_EQ(levels.HighestWhereBlocked(Extent{0, 9, 1}, 0), kMaxNarrow);
  EXPECT_TRUE(levels.FitsAbove({0, 9, kMaxNarrow}, kMaxNarrow));
}

constexpr uint32_t kSteps = 43;
constexpr size_t kMaxCalls = 60;
constexpr Level kMaxSize = kMaxNarrow / kMaxCalls;

// A call of StepLevels with its arguments. A call is either a change or a
// query.
struct Call {
  int kind = 0;
  Extent item;
  Level level = 0;
  Level room = 0;
};

std::vector<Level> Answer(const std::vector<Call>& calls, StepLevels* levels) {
  std::vector<Level> answers;
  for (const Call& call : calls) {
    const Extent& item = call.item;
    switch (call.kind) {
      case 0:
        levels->AddRemaining(item);
        break;
      case 1:
        levels->AddRemaining(item);
        answers.push_back(levels->MaxRemaining(item.begin, item.end));
        levels->RemoveRemaining(item);
        break;
      case 2:
        levels->Cover(item, call.level);
        break;
      case 3:
        answers.push_back(
            levels->CoverWhereFits(item, call.level, call.room) ? 1 : 0);
        break;
      case 4:
        levels->ClearLowest(item.begin, item.end);
        break;
      case 5:
        levels->ClearAbove(item.begin, item.end);
        break;
      default:
        answers.push_back(levels->FitsAbove(item, call.room) ? 1 : 0);
    }
    const LevelPair lowest = levels->FindLowest(item);
    answers.insert(
        answers.end(),
        {lowest.first, lowest.second, levels->MaxRemaining(0, item.end),
         levels->MaxAbove(item.begin, item.end), levels->above(item.begin),
         levels->HighestWhereBlocked(item, call.room),
         levels->HighestWhereBlocked(item.begin, call.room),
         levels->RemainsAtMost(item, call.room) ? 1 : 0});
  }
  return answers;
}

rc::Gen<Call> GenCall() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 8),
                     rc::gen::inRange<uint32_t>(0, kSteps),
                     rc::gen::inRange<uint32_t>(0, kSteps),
                     rc::gen::inRange<Level>(1, kMaxSize + 1),
                     rc::gen::inRange<Level>(0, kMaxNarrow - kMaxSize),
                     rc::gen::inRange<Level>(0, 4 * kMaxSize)),
      [](const auto& t) {
        Call call;
        call.kind = std::get<0>(t);
        call.item.begin = std::min(std::get<1>(t), std::get<2>(t));
        call.item.end = std::max(std::get<1>(t), std::get<2>(t)) + 1;
        call.item.size = std::get<3>(t);
        call.level = std::get<4>(t);
        call.room = std::get<5>(t);
        return call;
      });
}

RC_GTEST_PROP(StepLevels, AnswersAreTheSameForBothWidths, ()) {
  const size_t count = *rc::gen::inRange<size_t>(1, kMaxCalls + 1);
  const auto calls = *rc::gen::container<std::vector<Call>>(count, GenCall());
  StepLevels narrow(kSteps, kMaxNarrow);
  StepLevels wide(kSteps, kMaxNarrow + 1);
  RC_ASSERT(Answer(calls, &narrow) == Answer(calls, &wide));
}

}  // namespace
}  // namespace stowage::optimal
