// SPDX-License-Identifier: Apache-2.0
// Tests which plans a cache returns, keeps and refuses.
#include "stowage/plan_cache.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/plan/cached_plans.h"
#include "src/plan/memory_size.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kLarge = size_t{1} << 24;

ProblemSpec Spec(std::vector<ByteRecord> records) {
  ProblemSpec spec;
  spec.records = std::move(records);
  return spec;
}

// Returns a problem whose records have `size` bytes. Problems with different
// values of `size` have different fingerprints.
Problem OfSize(size_t size) {
  return *Problem::Create(
      Spec({{size, 0, 1}, {size, 1, 2}, {size, 2, 3}, {size, 0, 0}}));
}

std::shared_ptr<const Solution> Found(PlanCache* cache,
                                      const Problem& problem) {
  auto found = cache->Get(problem);
  EXPECT_THAT(found, IsOk());
  return *found;
}

bool AddTo(PlanCache* cache, const Fingerprint& fingerprint,
           Solution solution) {
  return cache->Add(
      {fingerprint, std::make_shared<const Solution>(std::move(solution))});
}

TEST(PlanCacheTest, SolvesOnceAndThenReturnsThePlan) {
  PlanCache cache(kLarge);
  const auto first = Found(&cache, OfSize(8));
  EXPECT_EQ(first->total_size, 16u);
  EXPECT_EQ(first->strategy, "skyline");
  EXPECT_EQ(Found(&cache, OfSize(8)), first);
  EXPECT_NE(Found(&cache, OfSize(9)), first);
  const PlanCacheStats stats = cache.stats();
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.plans, 2u);
  EXPECT_EQ(stats.evicted, 0u);
  EXPECT_EQ(stats.refused, 0u);
  EXPECT_GT(stats.bytes, 8 * (sizeof(ByteRecord) + sizeof(size_t)));
}

TEST(PlanCacheTest, NamesMakeNoDifference) {
  PlanCache cache(kLarge);
  ProblemSpec spec = Spec({{8, 0, 1}, {8, 1, 2}});
  const auto first = Found(&cache, *Problem::Create(spec));
  spec.names = {"a", "b"};
  EXPECT_EQ(Found(&cache, *Problem::Create(spec)), first);
}

TEST(PlanCacheTest, RemovesThePlanUsedLeastRecently) {
  PlanCache measure(kLarge);
  Found(&measure, OfSize(1));
  PlanCache cache(2 * measure.stats().bytes + measure.stats().bytes / 2);
  for (const size_t size : std::vector<size_t>{1, 2, 1, 3})
    Found(&cache, OfSize(size));
  EXPECT_EQ(cache.stats().evicted, 1u);
  EXPECT_EQ(cache.stats().plans, 2u);
  Found(&cache, OfSize(1));
  EXPECT_EQ(cache.stats().hits, 2u);
  Found(&cache, OfSize(2));  // this plan was removed
  EXPECT_EQ(cache.stats().hits, 2u);
}

TEST(PlanCacheTest, KeepsNoPlanThatIsTooLarge) {
  PlanCache cache(kLarge);
  Found(&cache, *Problem::Create(Spec({{8, 0, 0}})));
  const size_t bytes = cache.stats().bytes;
  PlanCache small(bytes);
  Found(&small, *Problem::Create(Spec({{8, 0, 0}})));
  EXPECT_EQ(small.stats().plans, 1u);
  const Problem large = *Problem::Create(
      Spec(testing::RandomRecords(testing::Family::kChains, 1, 1000)));
  EXPECT_TRUE(Found(&small, large)->has_plan());
  EXPECT_EQ(small.stats().plans, 1u);
  EXPECT_LE(small.stats().bytes, bytes);
  PlanCache none(0);
  EXPECT_TRUE(Found(&none, large)->has_plan());
  EXPECT_EQ(none.stats().plans, 0u);
  EXPECT_EQ(none.stats().bytes, 0u);
}

TEST(PlanCacheTest, KeepsNoSolutionWithoutAPlan) {
  PlanCache cache(kLarge);
  ProblemSpec spec = Spec({{8, 0, 1}, {8, 1, 2}});
  spec.capacity = 10;
  for (int i = 0; i < 2; ++i) {
    const auto found = Found(&cache, *Problem::Create(spec));
    EXPECT_EQ(found->status, SolutionStatus::kInfeasible);
  }
  EXPECT_EQ(cache.stats().misses, 2u);
  EXPECT_EQ(cache.stats().plans, 0u);
}

TEST(PlanCacheTest, KeepsNoPlanThatCannotBeVerified) {
  PlanCache cache(kLarge, "greedy_in_order");
  ProblemSpec spec = Spec({{8, 0, 0}, {8, 1, 1}});
  spec.kind = PlanKind::kObjects;
  spec.reallocation_graph = UsageGraph(2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Found(&cache, *Problem::Create(spec))->has_plan());
  }
  EXPECT_EQ(cache.stats().misses, 2u);
  EXPECT_EQ(cache.stats().plans, 0u);
}

TEST(PlanCacheTest, PassesErrorsOn) {
  PlanCache cache(kLarge, "no_such");
  EXPECT_THAT(cache.Get(OfSize(8)),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("no_such")));
  EXPECT_THAT(cache.Improve({}, "nor_this"),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("nor_this")));
}

struct AddedPlan {
  const char* name;
  Solution solution;
  bool is_used = false;
};

TEST(PlanCacheTest, VerifiesPlansOfUnknownOrigin) {
  Solution claims = OffsetsAssignment{{0, 8, 24, 16}, 1};
  claims.status = SolutionStatus::kOptimal;
  claims.lower_bound = 1000;
  const std::vector<AddedPlan> plans = {
      {"safe, with a false total and false claims", claims, true},
      {"safe", OffsetsAssignment{{100, 0, 100, 0}, 0}, true},
      {"overlapping", OffsetsAssignment{{0, 4, 0, 16}, 24}},
      {"of too few records", OffsetsAssignment{{0, 8}, 16}},
      {"of no records", OffsetsAssignment{}},
      {"at the end of the address space",
       OffsetsAssignment{{0, 8, 24, ~size_t{0} - 4}, ~size_t{0}}},
      {"with pools", OffsetsAssignment{{0, 8, 24, 16}, 32, {0, 0, 0, 7}}},
      {"of objects", ObjectsAssignment<size_t>{{0, 1, 0, 1}, {8, 8}}},
  };
  for (const AddedPlan& plan : plans) {
    SCOPED_TRACE(plan.name);
    PlanCache cache(kLarge);
    const Problem problem = OfSize(8);
    EXPECT_TRUE(AddTo(&cache, problem.fingerprint(), plan.solution));
    const auto found = Found(&cache, problem);
    EXPECT_FALSE(FindViolation(problem, *found->offsets()));
    EXPECT_EQ(found->total_size, found->offsets()->total_size);
    EXPECT_EQ(found->lower_bound, 16u);
    EXPECT_EQ(found->status == SolutionStatus::kOptimal,
              found->total_size == 16);
    EXPECT_EQ(found->found_by == "cache", plan.is_used);
    EXPECT_EQ(cache.stats().refused, plan.is_used ? 0u : 1u);
    EXPECT_EQ(cache.stats().hits, plan.is_used ? 1u : 0u);
    if (plan.is_used) {
      EXPECT_EQ(found->offsets()->offsets, plan.solution.offsets()->offsets);
    }
    EXPECT_EQ(Found(&cache, problem), found);
  }
}

TEST(PlanCacheTest, HoldsPlansOfUnknownOriginToTheCapacity) {
  ProblemSpec spec = Spec({{8, 0, 1}, {8, 1, 2}});
  spec.capacity = 20;
  const Problem problem = *Problem::Create(spec);
  PlanCache cache(kLarge);
  AddTo(&cache, problem.fingerprint(), OffsetsAssignment{{0, 16}, 20});
  EXPECT_EQ(Found(&cache, problem)->total_size, 16u);
  EXPECT_EQ(cache.stats().refused, 1u);
}

TEST(PlanCacheTest, AddsOnlyWhatIsNewAndFits) {
  PlanCache cache(kLarge);
  const auto first = Found(&cache, OfSize(8));
  EXPECT_FALSE(AddTo(&cache, OfSize(8).fingerprint(), OffsetsAssignment{}));
  EXPECT_FALSE(AddTo(&cache, OfSize(9).fingerprint(), Solution()));
  EXPECT_EQ(Found(&cache, OfSize(8)), first);
  PlanCache full(cache.stats().bytes);
  Found(&full, OfSize(8));
  EXPECT_FALSE(AddTo(&full, OfSize(9).fingerprint(), OffsetsAssignment{}));
  EXPECT_EQ(full.stats().evicted, 0u);
}

TEST(PlanCacheTest, KeepsAnAddedPlanOnceItIsUsed) {
  PlanCache measure(kLarge);
  const OffsetsAssignment plan = {{0, 2, 0, 4}, 6};
  AddTo(&measure, OfSize(2).fingerprint(), plan);
  const size_t added = measure.stats().bytes;
  Found(&measure, OfSize(1));
  PlanCache cache(measure.stats().bytes);
  Found(&cache, OfSize(1));
  ASSERT_TRUE(AddTo(&cache, OfSize(2).fingerprint(), plan));
  const auto used = Found(&cache, OfSize(2));
  // The entry has grown because it now also contains the problem.
  EXPECT_GT(cache.stats().bytes, added);
  EXPECT_EQ(cache.stats().evicted, 1u);
  ASSERT_EQ(cache.stats().plans, 1u);
  EXPECT_EQ(cache.Plans()[0].solution, used);
}

// Returns an entry with a plan of the given total size for one record of 8
// bytes.
PlanEntry EntryOf(size_t total, uint64_t uses) {
  Solution solution = OffsetsAssignment{{total - 8}, total};
  solution.total_size = total;
  return {Fingerprint{1, 2}, std::make_shared<const Solution>(solution),
          std::make_shared<const ProblemSpec>(Spec({{8, 0, 0}})), uses};
}

TEST(CachedPlansTest, KeepsTheBetterOfTwoPlans) {
  CachedPlans plans(kLarge);
  plans.Store(EntryOf(16, 1));
  PlanEntry other = EntryOf(8, 1);
  other.fingerprint = {3, 4};
  plans.Store(other);
  plans.Store(EntryOf(24, 2));
  ASSERT_EQ(plans.stats().plans, 2u);
  EXPECT_EQ(plans.All()[0].solution->total_size, 16u);
  EXPECT_EQ(plans.All()[0].uses, 3u);
  const size_t bytes = plans.stats().bytes;
  plans.Store(EntryOf(8, 1));
  EXPECT_EQ(plans.All()[0].solution->total_size, 8u);
  EXPECT_EQ(plans.All()[0].uses, 4u);
  EXPECT_EQ(plans.stats().bytes, bytes);
  PlanEntry optimal = EntryOf(8, 1);
  Solution proven = *optimal.solution;
  proven.status = SolutionStatus::kOptimal;
  optimal.solution = std::make_shared<const Solution>(proven);
  plans.Store(optimal);
  plans.Store(EntryOf(8, 1));
  EXPECT_EQ(plans.All()[0].solution, optimal.solution);
}

TEST(MemorySizeTest, CountsTheWordsOfConstraints) {
  ProblemSpec spec = Spec({{8, 0, 0}});
  spec.constraints.pools = {{"p", {}}, {"q", {}}};
  const size_t before = MemorySize(spec);
  spec.constraints.pools[1].name.assign(1000, 'q');
  spec.constraints.group_word.assign(1000, 'g');
  EXPECT_GE(MemorySize(spec), before + 1900);
}

TEST(PlanCacheTest, ListsThePlanUsedMostRecentlyFirst) {
  PlanCache cache(kLarge);
  for (const size_t size : std::vector<size_t>{1, 2, 3, 1})
    Found(&cache, OfSize(size));
  AddTo(&cache, OfSize(4).fingerprint(), OffsetsAssignment{});
  std::vector<Fingerprint> fingerprints;
  for (const IdentifiedPlan& plan : cache.Plans()) {
    fingerprints.push_back(plan.fingerprint);
  }
  EXPECT_THAT(fingerprints,
              ElementsAre(OfSize(1).fingerprint(), OfSize(3).fingerprint(),
                          OfSize(2).fingerprint(), OfSize(4).fingerprint()));
}

// Returns a problem for which the plan of `naive` is not optimal.
Problem Improvable(size_t size) {
  return *Problem::Create(Spec({{size, 0, 1}, {size, 2, 3}, {size, 4, 5}}));
}

TEST(PlanCacheTest, ImprovesPlansWithinABudget) {
  PlanCache cache(kLarge, "naive");
  const auto before = Found(&cache, Improvable(8));
  EXPECT_EQ(before->total_size, 24u);
  Found(&cache, Improvable(9));
  SolveOptions budget;
  budget.node_budget = 1000;
  const auto improved = cache.Improve(budget);
  ASSERT_THAT(improved, IsOk());
  EXPECT_EQ(*improved, 2u);
  const auto after = Found(&cache, Improvable(8));
  EXPECT_EQ(after->total_size, 8u);
  EXPECT_EQ(after->status, SolutionStatus::kOptimal);
  EXPECT_EQ(before->total_size, 24u);  // the old plan is unchanged
  EXPECT_EQ(*cache.Improve(budget), 0u);
  // An improvement does not count as a use.
  EXPECT_EQ(cache.Plans().front().fingerprint, Improvable(8).fingerprint());
}

TEST(PlanCacheTest, ImprovesNothingWithoutABudget) {
  PlanCache cache(kLarge, "naive");
  Found(&cache, Improvable(8));
  SolveOptions no_nodes;
  no_nodes.node_budget = 0;
  SolveOptions no_time;
  no_time.time_limit_ns = 0;
  for (const SolveOptions& spent : {no_nodes, no_time}) {
    const auto improved = cache.Improve(spent);
    ASSERT_THAT(improved, IsOk());
    EXPECT_EQ(*improved, 0u);
    EXPECT_EQ(Found(&cache, Improvable(8))->total_size, 24u);
  }
}

TEST(PlanCacheTest, ImprovesThePlansUsedMostFirst) {
  PlanCache cache(kLarge, "naive");
  for (int i = 0; i < 5; ++i) Found(&cache, Improvable(8));
  Found(&cache, Improvable(9));
  support::TestObserver one(
      nullptr, [&] { return cache.Plans().back().solution->total_size > 8; });
  SolveOptions budget;
  budget.observer = &one;
  budget.time_limit_ns = 10'000'000'000;
  ASSERT_THAT(cache.Improve(budget), IsOk());
  EXPECT_EQ(Found(&cache, Improvable(8))->total_size, 8u);
}

TEST(PlanCacheTest, ImprovesNothingIfTheObserverEndsTheCall) {
  PlanCache cache(kLarge, "naive");
  Found(&cache, Improvable(8));
  support::ImpatientObserver observer;
  SolveOptions budget;
  budget.observer = &observer;
  const auto improved = cache.Improve(budget);
  ASSERT_THAT(improved, IsOk());
  EXPECT_EQ(*improved, 0u);
}

TEST(PlanCacheTest, LeavesProblemsAloneThatTheStrategyDoesNotSupport) {
  PlanCache cache(kLarge, "optimal");
  ProblemSpec spec = Spec({{8, 0, 1}, {8, 2, 3}, {16, 1, 2}});
  spec.constraints.prefer_apart = {{0, 1, 5}};
  spec.constraints.apart = {{0, 1}};
  SolveOptions little;
  little.node_budget = 0;
  ASSERT_THAT(cache.Get(*Problem::Create(spec), little), IsOk());
  EXPECT_THAT(cache.Improve(little, "naive"), IsOk());
}

// The problems have all kinds of constraints and free orders. The test verifies
// both the plans that the cache makes and the plans that are added to the
// cache.
RC_GTEST_PROP(PlanCachePropertyTest, EveryPlanIsSafe, ()) {
  const ProblemSpec spec = *rc::gen::scale(0.3, testing::AnyProblems());
  const Problem problem = *Problem::Create(spec);
  PlanCache cache(kLarge, "optimal");
  SolveOptions options;
  options.node_budget = 200;
  const auto first = cache.Get(problem, options);
  RC_ASSERT(first.ok());
  RC_PRE((*first)->has_plan());
  const auto second = cache.Get(*Problem::Create(spec), options);
  RC_ASSERT(second.ok());
  RC_ASSERT(*second == *first);
  RC_ASSERT(!FindViolation(problem, *(*first)->offsets()));
  // The added plan is either the same plan or a plan that differs in one
  // offset.
  OffsetsAssignment plan = *(*first)->offsets();
  plan.total_size = *rc::gen::arbitrary<size_t>();
  const bool is_changed = *rc::gen::arbitrary<bool>();
  if (is_changed && !plan.offsets.empty()) {
    plan.offsets[*rc::gen::inRange<size_t>(0, plan.offsets.size())] =
        *rc::gen::elementOf(plan.offsets);
  }
  PlanCache other(kLarge, "optimal");
  RC_ASSERT(AddTo(&other, problem.fingerprint(), plan));
  const auto third = other.Get(problem, options);
  RC_ASSERT(third.ok());
  RC_ASSERT((*third)->has_plan());
  RC_ASSERT(!FindViolation(problem, *(*third)->offsets()));
  if (!is_changed) {
    RC_ASSERT((*third)->offsets()->offsets == plan.offsets);
    RC_ASSERT((*third)->total_size <= (*first)->total_size);
  }
}

TEST(PlanCacheTest, FindsPlansOfFreeOrders) {
  ProblemSpec spec = Spec({{10, 0, 0}, {10, 0, 0}});
  spec.free_order = FreeOrder{
      4, {}, UserLists(std::vector<std::vector<TaskId>>{{0, 2}, {1, 3}})};
  const Problem problem = *Problem::Create(spec);
  PlanCache cache(kLarge);
  const auto first = Found(&cache, problem);
  EXPECT_EQ(Found(&cache, *Problem::Create(spec)), first);
  Solution added = *first->offsets();
  added.order = first->order;
  PlanCache other(kLarge);
  AddTo(&other, problem.fingerprint(), added);
  EXPECT_EQ(Found(&other, problem)->order, first->order);
  EXPECT_EQ(other.stats().hits, 1u);
  PlanCache wrong(kLarge);
  added.order = {0, 0, 1, 1};
  AddTo(&wrong, problem.fingerprint(), added);
  EXPECT_THAT(Found(&wrong, problem)->order, ::testing::SizeIs(4));
  EXPECT_EQ(wrong.stats().refused, 1u);
}

// Threads request, improve and list plans of a cache that is too small for all
// plans.
TEST(PlanCacheThreadTest, ThreadsShareACache) {
  PlanCache measure(kLarge);
  Found(&measure, Improvable(1));
  PlanCache cache(4 * measure.stats().bytes, "naive");
  constexpr size_t kThreads = 4;
  constexpr size_t kCalls = 200;
  std::atomic<size_t> unsafe{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t call = 0; call < kCalls; ++call) {
        const Problem problem = Improvable(1 + (call * (t + 1)) % 7);
        const auto found = cache.Get(problem);
        if (!found.ok() || FindViolation(problem, *(*found)->offsets())) {
          ++unsafe;
        }
        if (call % 50 == t) {
          SolveOptions budget;
          budget.node_budget = 10;
          if (!cache.Improve(budget).ok()) ++unsafe;
        }
        if (call % 10 == 0) cache.Add({problem.fingerprint(), *found});
        if (cache.Plans().size() > 7) ++unsafe;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unsafe, 0u);
  const PlanCacheStats stats = cache.stats();
  EXPECT_EQ(stats.hits + stats.misses, kThreads * kCalls);
  EXPECT_LE(stats.bytes, 4 * measure.stats().bytes);
  EXPECT_EQ(stats.plans, cache.Plans().size());
}

}  // namespace
}  // namespace stowage
