// SPDX-License-Identifier: Apache-2.0
// Tests which calls the observer of a search receives, and how an observer
// stops a search.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/hard_records.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::IsOk;

// Returns options for a search that stops only if its observer stops it.
SolveOptions Endless(size_t threads) {
  SolveOptions options;
  options.time_limit_ns = kNoTimeLimit;
  options.threads = threads;
  return options;
}

// A problem that hardly any search completes.
struct Endlessness {
  const char* name;
  ProblemSpec spec;
};

std::vector<Endlessness> EndlessProblems() {
  const auto records = support::HardRecords(8, 300);
  ProblemSpec offsets;
  offsets.records = records;
  ProblemSpec objects = offsets;
  objects.kind = PlanKind::kObjects;
  ProblemSpec constrained = offsets;
  constrained.constraints.holes = {{50, 55, 0, 50, 0}};
  ProblemSpec pools = offsets;
  pools.constraints.pools = {{"a", absl::nullopt}, {"b", absl::nullopt}};
  for (size_t i = 0; i < records.size(); ++i) {
    pools.constraints.choices.push_back({{i % 2 == 0 ? 0u : 1u, 0}});
  }
  ProblemSpec groups = offsets;
  groups.constraints.places.resize(records.size());
  for (uint32_t i = 0; i < 20; ++i) {
    groups.constraints.places[i].group = i / 2;
  }
  groups.groups_are_optional = true;
  ProblemSpec ordered;
  ordered.free_order.emplace();
  ordered.free_order->tasks = 60;
  for (size_t i = 0; i < 60; ++i) {
    ordered.records.emplace_back(records[i].tensor_size, 0, 0);
    ordered.free_order->users.Add({i, (i * 7 + 5) % 60, (i * 11 + 3) % 60});
  }
  return {{"offsets", offsets},         {"objects", objects},
          {"constraints", constrained}, {"pools", pools},
          {"optional groups", groups},  {"free order", ordered}};
}

// Solves the problem until another thread requests to stop the search. Both
// functions of the observer must be called on the thread of Solve, and must not
// be called again after one of them has returned false.
void EndFromAnotherThread(const Problem& problem, size_t threads) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> asked{0};
  std::atomic<bool> is_ended{false};
  bool was_told = false;
  support::TestObserver observer(
      [&](const SearchProgress&) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_FALSE(was_told);
        return true;
      },
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_FALSE(was_told);
        ++asked;
        was_told = is_ended;
        return !was_told;
      });
  std::atomic<bool> is_done{false};
  std::thread other([&] {
    while (asked < 5 && !is_done) std::this_thread::yield();
    is_ended = true;
  });
  SolveOptions options = Endless(threads);
  options.observer = &observer;
  const auto solution = Solve(problem, "optimal", options);
  is_done = true;
  other.join();
  ASSERT_THAT(solution, IsOk());
  EXPECT_TRUE(solution->has_plan());
  EXPECT_LE(solution->lower_bound, solution->total_size);
  EXPECT_TRUE(was_told || solution->status == SolutionStatus::kOptimal);
}

TEST(ObserverThreadTest, EndsASearchFromAnotherThread) {
  for (const Endlessness& endless : EndlessProblems()) {
    SCOPED_TRACE(endless.name);
    const auto problem = Problem::Create(endless.spec);
    ASSERT_THAT(problem, IsOk());
    for (const size_t threads : {size_t{1}, size_t{3}}) {
      EndFromAnotherThread(*problem, threads);
    }
  }
}

#ifdef __cpp_exceptions
TEST(ObserverThreadTest, MayThrowWhileOthersSearch) {
  const auto problem = Problem::Create(EndlessProblems().front().spec);
  ASSERT_THAT(problem, IsOk());
  for (const bool throws_at_progress : {false, true}) {
    int asked = 0;
    bool has_thrown = false;
    const auto answer = [&](bool throws) {
      EXPECT_FALSE(has_thrown);
      if (throws && ++asked == (throws_at_progress ? 1 : 5)) {
        has_thrown = true;
        throw std::runtime_error("enough");
      }
      return true;
    };
    support::TestObserver observer(
        [&](const SearchProgress&) { return answer(throws_at_progress); },
        [&] { return answer(!throws_at_progress); });
    SolveOptions options = Endless(4);
    options.time_limit_ns = 2'000'000'000;
    options.observer = &observer;
    EXPECT_THROW((void)Solve(*problem, "optimal", options), std::runtime_error);
  }
}
#endif

TEST(ObserverThreadTest, EndsASearchByItsProgress) {
  for (const Endlessness& endless : EndlessProblems()) {
    SCOPED_TRACE(endless.name);
    const auto problem = Problem::Create(endless.spec);
    ASSERT_THAT(problem, IsOk());
    for (const size_t threads : {size_t{1}, size_t{3}}) {
      using Clock = std::chrono::steady_clock;
      const Clock::time_point begin = Clock::now();
      std::vector<size_t> totals;
      size_t asked_later = 0;
      support::TestObserver observer(
          [&](const SearchProgress& progress) {
            totals.push_back(progress.total_size);
            return false;
          },
          [&] {
            if (!totals.empty()) ++asked_later;
            return Clock::now() - begin < std::chrono::milliseconds(300);
          });
      SolveOptions options = Endless(threads);
      options.observer = &observer;
      const auto solution = Solve(*problem, "optimal", options);
      ASSERT_THAT(solution, IsOk());
      EXPECT_TRUE(solution->has_plan());
      EXPECT_EQ(asked_later, 0);
      EXPECT_LE(totals.size(), 1);
      // Searches under constraints report no progress. With pools, the progress
      // is that of a single pool. With a free order, the search for a plan of
      // the first order does not complete, so it may report nothing.
      if (problem->constraints() == nullptr &&
          problem->free_order() == nullptr) {
        ASSERT_EQ(totals.size(), 1);
        EXPECT_LE(solution->total_size, totals[0]);
      }
    }
  }
}

// The observer is called every few milliseconds. The test allows much longer
// pauses, because tests run on busy machines.
TEST(ObserverThreadTest, IsAskedAllTheTime) {
  using Clock = std::chrono::steady_clock;
  for (const Endlessness& endless : EndlessProblems()) {
    SCOPED_TRACE(endless.name);
    const auto problem = Problem::Create(endless.spec);
    ASSERT_THAT(problem, IsOk());
    const Clock::time_point begin = Clock::now();
    Clock::time_point last = begin;
    Clock::duration longest{};
    size_t calls = 0;
    support::TestObserver observer(nullptr, [&] {
      const Clock::time_point now = Clock::now();
      longest = std::max(longest, now - last);
      last = now;
      return ++calls < 20;
    });
    SolveOptions options = Endless(3);
    options.observer = &observer;
    const auto solution = Solve(*problem, "optimal", options);
    ASSERT_THAT(solution, IsOk());
    EXPECT_TRUE(calls == 20 || solution->status == SolutionStatus::kOptimal);
    EXPECT_LT(longest, std::chrono::seconds(2));
  }
}

// A strategy may also be called directly instead of through Solve.
TEST(ObserverTest, EndsAStrategyThatIsCalledAlone) {
  const Strategy& optimal = **FindStrategy("optimal");
  support::ImpatientObserver observer;
  SolveOptions options = Endless(1);
  options.observer = &observer;
  for (const Endlessness& endless : EndlessProblems()) {
    const auto problem = Problem::Create(endless.spec);
    if (problem->free_order() != nullptr || problem->groups_are_optional()) {
      continue;
    }
    EXPECT_THAT(optimal.Solve(*problem, options), IsOk()) << endless.name;
  }
}

// The observer that Solve passes to a strategy remembers that the search must
// stop, so a strategy may ignore the result of OnProgress.
TEST(ObserverTest, IsAskedForTheStrategiesOfOthers) {
  int calls = 0;
  support::TestObserver observer([](const SearchProgress&) { return false; },
                                 [&] { return ++calls > 0; });
  const ScriptedStrategy mine(
      "mine", OffsetsOnly(), [](const Problem&, const SolveOptions& options) {
        EXPECT_TRUE(options.observer->KeepGoing());
        EXPECT_FALSE(options.observer->OnProgress({16, 16, 1, "mine"}));
        EXPECT_FALSE(options.observer->KeepGoing());
        EXPECT_FALSE(options.observer->OnProgress({16, 16, 2, "mine"}));
        return Solution(OffsetsAssignment{{0}, 16});
      });
  ProblemSpec spec;
  spec.records = {{16, 0, 1}};
  SolveOptions options;
  options.observer = &observer;
  EXPECT_THAT(Solve(*Problem::Create(spec), mine, options), IsOk());
  EXPECT_EQ(calls, 1);
}

TEST(ObserverTest, KeepsGoingByDefault) {
  Observer observer;
  EXPECT_TRUE(observer.KeepGoing());
  EXPECT_TRUE(observer.OnProgress({}));
  ProblemSpec spec;
  spec.records = {{16, 0, 1}};
  SolveOptions options;
  options.observer = &observer;
  const auto solution = Solve(*Problem::Create(spec), "optimal", options);
  ASSERT_THAT(solution, IsOk());
  EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
}

TEST(TimeLimitTest, OfAnyNumberEndsWithAPlan) {
  const auto problem = Problem::Create(EndlessProblems()[0].spec);
  for (const int64_t limit : {std::numeric_limits<int64_t>::min(), int64_t{-1},
                              int64_t{0}, int64_t{1}, int64_t{1'000'000}}) {
    SolveOptions options;
    options.time_limit_ns = limit;
    const auto solution = Solve(*problem, "optimal", options);
    ASSERT_THAT(solution, IsOk());
    EXPECT_TRUE(solution->has_plan());
  }
  for (const int64_t limit : {kNoTimeLimit - 1, kNoTimeLimit}) {
    support::ImpatientObserver observer;
    SolveOptions options;
    options.time_limit_ns = limit;
    options.observer = &observer;
    EXPECT_THAT(Solve(*problem, "optimal", options), IsOk());
  }
}

}  // namespace
}  // namespace stowage
