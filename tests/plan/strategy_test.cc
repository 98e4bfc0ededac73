// SPDX-License-Identifier: Apache-2.0
// Tests the registry of strategies and the default implementations of Strategy.
#include "stowage/strategy.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/plan/builtin_strategies.h"
#include "src/plan/linked_strategies.h"
#include "stowage/registry.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ByteRecords = std::vector<TensorUsageRecord<size_t>>;

std::unique_ptr<const Strategy> Named(std::string name) {
  return std::make_unique<ScriptedStrategy>(std::move(name), OffsetsOnly(),
                                            nullptr);
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const Strategy* strategy : AllStrategies()) {
    names.push_back(strategy->info().name);
  }
  return names;
}

TEST(StrategyNameTest, IsTheEnumeratorInLowerCase) {
  EXPECT_EQ(StrategyName(MemoryStrategy::NAIVE), "naive");
  EXPECT_EQ(StrategyName(MemoryStrategy::EQUALITY), "equality");
  EXPECT_EQ(StrategyName(MemoryStrategy::GREEDY_IN_ORDER), "greedy_in_order");
  EXPECT_EQ(StrategyName(MemoryStrategy::GREEDY_BY_BREADTH),
            "greedy_by_breadth");
  EXPECT_EQ(StrategyName(MemoryStrategy::GREEDY_BY_SIZE), "greedy_by_size");
  EXPECT_EQ(StrategyName(MemoryStrategy::GREEDY_BEST), "greedy_best");
  EXPECT_EQ(StrategyName(MemoryStrategy::MINCOSTFLOW), "mincostflow");
  EXPECT_EQ(StrategyName(static_cast<MemoryStrategy>(99)), "unknown");
}

TEST(StrategyNameTest, IsThatOfARegisteredStrategy) {
  for (const MemoryStrategy strategy :
       {MemoryStrategy::NAIVE, MemoryStrategy::EQUALITY,
        MemoryStrategy::GREEDY_IN_ORDER, MemoryStrategy::GREEDY_BY_BREADTH,
        MemoryStrategy::GREEDY_BY_SIZE, MemoryStrategy::GREEDY_BEST,
        MemoryStrategy::MINCOSTFLOW}) {
    EXPECT_THAT(FindStrategy(StrategyName(strategy)), IsOk());
  }
}

TEST(RegistryTest, HasEveryStrategyOfTheBuild) {
  const auto builtin = CreateBuiltinStrategies();
  ASSERT_FALSE(builtin.empty());
  std::set<std::string> names;
  for (const auto& strategy : builtin) {
    const std::string& name = strategy->info().name;
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    EXPECT_THAT(FindStrategy(name), IsOk());
  }
}

TEST(RegistryTest, FindsWhatIsRegistered) {
  std::unique_ptr<const Strategy> mine = Named("found_1");
  const Strategy* const pointer = mine.get();
  ASSERT_THAT(RegisterStrategy(std::move(mine)), IsOk());
  const auto found = FindStrategy("found_1");
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(*found, pointer);
  EXPECT_THAT(AllStrategies(), ::testing::Contains(pointer));
}

TEST(RegistryTest, ListsStrategiesByName) {
  ASSERT_THAT(RegisterStrategy(Named("zz_last")), IsOk());
  ASSERT_THAT(RegisterStrategy(Named("0_first")), IsOk());
  const std::vector<std::string> names = AllNames();
  EXPECT_EQ(names.front(), "0_first");
  EXPECT_EQ(names.back(), "zz_last");
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(RegistryTest, SaysWhichNamesThereAre) {
  for (const char* name : {"greedy", "", "NAIVE", "naive "}) {
    EXPECT_THAT(
        FindStrategy(name),
        FailsWith(absl::StatusCode::kNotFound,
                  absl::StrCat("no strategy '", name, "'; expected one of ",
                               absl::StrJoin(AllNames(), ", "))));
  }
}

TEST(RegistryTest, RefusesANameThatIsTaken) {
  ASSERT_THAT(RegisterStrategy(Named("taken")), IsOk());
  const Strategy* const first = *FindStrategy("taken");
  EXPECT_THAT(RegisterStrategy(Named("taken")),
              FailsWith(absl::StatusCode::kAlreadyExists,
                        "strategy 'taken' is registered already"));
  EXPECT_THAT(RegisterStrategy(Named("naive")),
              FailsWith(absl::StatusCode::kAlreadyExists,
                        "strategy 'naive' is registered already"));
  EXPECT_EQ(*FindStrategy("taken"), first);
}

TEST(RegistryTest, RefusesNamesThatAreHardToType) {
  for (const char* name : {"", "Mine", "my-own", "my own", "caf\xc3\xa9"}) {
    EXPECT_THAT(
        RegisterStrategy(Named(name)),
        FailsWith(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("strategy name '", name,
                               "'; expected lower-case letters, digits and "
                               "'_'")));
  }
}

TEST(RegistryTest, RefusesAStrategyThatCanPlanNothing) {
  const FeatureSet features = {
      Feature::kReallocationGraph};  // neither kind of plan
  EXPECT_THAT(RegisterStrategy(std::make_unique<ScriptedStrategy>(
                  "idle", features, nullptr)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "strategy 'idle': its features have no kind of plan; "
                        "expected at least one of offsets, objects"));
  EXPECT_THAT(RegisterStrategy(nullptr),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "strategy: it is null; expected an object"));
}

// The strategy "late" represents a strategy of a library that has just been
// loaded. Creating it takes some time and looks up another strategy.
TEST(RegistryTest, CreatesALinkedStrategyBeforeAnyThreadLooksForIt) {
  static const LinkedStrategy late([]() -> std::unique_ptr<const Strategy> {
    EXPECT_THAT(FindStrategy("skyline"), IsOk());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Named("late");
  });
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&found] { found += FindStrategy("late").ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 8);
}

TEST(RegistryTest, CreatesALinkedStrategyAgainIfThatFailed) {
  static int calls = 0;
  static const LinkedStrategy first(
      []() -> std::unique_ptr<const Strategy> { return Named("before"); });
  static const LinkedStrategy failing([]() -> std::unique_ptr<const Strategy> {
    if (++calls == 1) throw std::bad_alloc();
    return Named("second_try");
  });
  EXPECT_THROW((void)FindStrategy("second_try"), std::bad_alloc);
  EXPECT_THAT(FindStrategy("second_try"), IsOk());
  EXPECT_THAT(FindStrategy("before"), IsOk());
  EXPECT_EQ(calls, 2);
}

TEST(RegistryTest, MayBeUsedByManyThreads) {
  constexpr int kThreads = 8;
  std::atomic<int> winners = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([i, &winners] {
      EXPECT_THAT(RegisterStrategy(Named(absl::StrCat("thread_", i))), IsOk());
      if (RegisterStrategy(Named("contended")).ok()) ++winners;
      EXPECT_THAT(FindStrategy("contended"), IsOk());
      EXPECT_GE(AllStrategies().size(), 3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace stowage
