// SPDX-License-Identifier: Apache-2.0
// Tests the cache of plans, plans for changed problems, and plans that are
// shared by several problems.
#include "stowage/c/cache.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/problem.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CacheHandle NewCache(const char* strategy = nullptr) {
  return CacheHandle(stowage_plan_cache_new(1 << 20, strategy));
}

SolutionHandle Get(const CacheHandle& cache, const ProblemHandle& problem,
                   const stowage_options* options = nullptr,
                   stowage_error* error = nullptr) {
  stowage_solution* made = nullptr;
  stowage_plan_cache_get(cache.get(), problem.get(), options, &made, error);
  return SolutionHandle(made);
}

stowage_plan_cache_stats StatsOf(const CacheHandle& cache) {
  auto stats = Sized<stowage_plan_cache_stats>();
  EXPECT_EQ(stowage_plan_cache_get_stats(cache.get(), &stats, nullptr),
            STOWAGE_OK);
  return stats;
}

std::vector<uint64_t> OffsetsIn(const SolutionHandle& solution) {
  const stowage_plan plan = PlanOf(solution);
  return std::vector<uint64_t>(plan.offsets, plan.offsets + plan.count);
}

TEST(PlanCache, SolvesOnceAndThenFindsThePlan) {
  const CacheHandle cache = NewCache();
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle first = Get(cache, problem);
  const SolutionHandle second = Get(cache, ProblemOf(SmallSpec()));
  EXPECT_EQ(SummaryOf(first).total_size, 5120);
  EXPECT_EQ(OffsetsIn(first), OffsetsIn(second));
  EXPECT_STREQ(stowage_solution_strategy(second.get()), "skyline");
  const stowage_plan_cache_stats stats = StatsOf(cache);
  EXPECT_EQ(stats.plans, 1);
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.misses, 1);
  EXPECT_GT(stats.bytes, 0);
}

TEST(PlanCache, PlansByItsStrategyAlone) {
  ProblemSpec spec = SmallSpec();
  spec.kind = PlanKind::kObjects;
  const SolutionHandle objects = Get(NewCache("greedy_best"), ProblemOf(spec));
  EXPECT_EQ(SummaryOf(objects).kind, STOWAGE_OBJECTS);
  auto error = Sized<stowage_error>();
  EXPECT_EQ(Get(NewCache("nobody"), ProblemOf(spec), nullptr, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_NOT_FOUND);
  stowage_options options = DefaultOptions();
  options.strategy = "skyline";
  EXPECT_EQ(Get(NewCache(), ProblemOf(SmallSpec()), &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("options->strategy"));
}

TEST(PlanCache, ImprovesWhatIsAskedFor) {
  const CacheHandle cache = NewCache("naive");
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle before = Get(cache, problem);
  EXPECT_EQ(SummaryOf(before).total_size, 9216);
  uint64_t improved = 7;
  stowage_options options = DefaultOptions();
  options.node_budget = 1000;
  EXPECT_EQ(
      stowage_plan_cache_improve(cache.get(), &options, &improved, nullptr),
      STOWAGE_OK);
  EXPECT_EQ(improved, 1);
  EXPECT_EQ(SummaryOf(Get(cache, problem)).total_size, 5120);
  EXPECT_EQ(SummaryOf(before).total_size, 9216);
  EXPECT_EQ(PlanOf(before).total_size, 9216);
}

TEST(PlanCache, RefusesOptionsThatItWouldIgnore) {
  const CacheHandle cache = NewCache();
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Get(cache, problem);
  stowage_options options = DefaultOptions();
  options.incumbent = solution.get();
  EXPECT_EQ(stowage_plan_cache_improve(cache.get(), &options, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  options = DefaultOptions();
  options.strategy = "nobody";
  EXPECT_EQ(stowage_plan_cache_improve(cache.get(), &options, nullptr, nullptr),
            STOWAGE_NOT_FOUND);
}

// Provides a folder that is removed at the end of the test.
class PlanFiles : public ::testing::Test {
 protected:
  PlanFiles() { std::filesystem::create_directories(folder_); }
  ~PlanFiles() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + name; }

 private:
  const std::string folder_ = ::testing::TempDir() + "/c_plan_files/";
};

TEST_F(PlanFiles, AreReadByAnotherCache) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const CacheHandle cache = NewCache();
  const SolutionHandle first = Get(cache, problem);
  const std::string path = Path("plans.txt");
  ASSERT_EQ(stowage_plan_cache_save(cache.get(), path.c_str(), nullptr),
            STOWAGE_OK);
  const CacheHandle later = NewCache();
  uint64_t damaged = 7;
  ASSERT_EQ(
      stowage_plan_cache_load(later.get(), path.c_str(), &damaged, nullptr),
      STOWAGE_OK);
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(OffsetsIn(Get(later, problem)), OffsetsIn(first));
  EXPECT_EQ(StatsOf(later).misses, 0);
}

TEST_F(PlanFiles, AreNotBelieved) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const CacheHandle cache = NewCache();
  const SolutionHandle first = Get(cache, problem);
  const std::string path = Path("plans.txt");
  ASSERT_EQ(stowage_plan_cache_save(cache.get(), path.c_str(), nullptr),
            STOWAGE_OK);
  std::string text;
  {
    std::ifstream in(path);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const size_t at = text.find("0,4096,0");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 8, "0,64,0");
  std::ofstream(path) << text << "a line that is not a plan\n";
  const CacheHandle later = NewCache();
  uint64_t damaged = 0;
  ASSERT_EQ(
      stowage_plan_cache_load(later.get(), path.c_str(), &damaged, nullptr),
      STOWAGE_OK);
  EXPECT_EQ(damaged, 1);
  EXPECT_EQ(OffsetsIn(Get(later, problem)), OffsetsIn(first));
  EXPECT_EQ(StatsOf(later).refused, 1);
  EXPECT_EQ(stowage_plan_cache_load(later.get(), Path("none").c_str(), nullptr,
                                    nullptr),
            STOWAGE_NOT_FOUND);
}

// The action of a callback in a test.
using Action = std::function<int32_t()>;
int32_t Act(void* context) { return (*static_cast<Action*>(context))(); }

stowage_options Watched(Action* action) {
  stowage_options options = DefaultOptions();
  options.keep_going = &Act;
  options.context = action;
  return options;
}

TEST(PlanCache, MayBeFreedInACallback) {
  ProblemHandle problem = ProblemOf(HardSpec());
  CacheHandle cache = NewCache("optimal");
  stowage_plan_cache* const handle = cache.get();
  Action action = [&] {
    cache.reset();
    problem.reset();
    return 1;
  };
  const stowage_options options = Watched(&action);
  stowage_solution* made = nullptr;
  EXPECT_EQ(
      stowage_plan_cache_get(handle, problem.get(), &options, &made, nullptr),
      STOWAGE_OK);
  EXPECT_EQ(cache, nullptr);
  EXPECT_NE(SolutionHandle(made), nullptr);
}

TEST(PlanCache, MayBeFreedWhileItImproves) {
  const ProblemHandle problem = ProblemOf(HardSpec());
  CacheHandle cache = NewCache();
  stowage_plan_cache* const handle = cache.get();
  ASSERT_NE(Get(cache, problem), nullptr);
  ASSERT_NE(Get(cache, problem), nullptr);
  Action action = [&] {
    cache.reset();
    return 1;
  };
  const stowage_options options = Watched(&action);
  EXPECT_EQ(stowage_plan_cache_improve(handle, &options, nullptr, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(cache, nullptr);
}

TEST(PlanCache, TurnsExceptionsIntoErrors) {
  const ProblemHandle problem = ProblemOf(HardSpec());
  const CacheHandle cache = NewCache("optimal");
  Action action = []() -> int32_t { throw std::runtime_error("no more"); };
  const stowage_options options = Watched(&action);
  auto error = Sized<stowage_error>();
  EXPECT_EQ(Get(cache, problem, &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INTERNAL);
  EXPECT_THAT(error.message, HasSubstr("no more"));
}

// Returns the small problem with the size of one record changed.
ProblemHandle Changed(size_t record, size_t size) {
  ProblemSpec spec = SmallSpec();
  spec.records[record].tensor_size = size;
  return ProblemOf(spec);
}

SolutionHandle Replan(const ProblemHandle& problem,
                      const SolutionHandle& previous,
                      const stowage_replan_options* options = nullptr,
                      stowage_error* error = nullptr) {
  stowage_solution* made = nullptr;
  stowage_replan(problem.get(), previous.get(), options, &made, error);
  return SolutionHandle(made);
}

stowage_changes ChangesIn(const SolutionHandle& solution) {
  auto changes = Sized<stowage_changes>();
  EXPECT_EQ(stowage_solution_changes(solution.get(), &changes, nullptr),
            STOWAGE_OK);
  return changes;
}

TEST(Replan, KeepsWhatFitsAndSaysWhatHasMoved) {
  const SolutionHandle first = Solve(ProblemOf(SmallSpec()));
  ASSERT_THAT(OffsetsIn(first), ElementsAre(0, 4096, 0));
  const SolutionHandle smaller = Replan(Changed(1, 512), first);
  EXPECT_THAT(OffsetsIn(smaller), ElementsAre(0, 4096, 0));
  EXPECT_EQ(ChangesIn(smaller).was_valid, 1);
  EXPECT_EQ(ChangesIn(smaller).moved_count, 0);
  EXPECT_EQ(ChangesIn(smaller).moved, nullptr);
  // The first record grows, so the second record, which is above it, has to
  // move.
  const SolutionHandle larger = Replan(Changed(0, 8192), smaller);
  ASSERT_NE(larger, nullptr);
  const stowage_changes changes = ChangesIn(larger);
  EXPECT_EQ(changes.was_valid, 0);
  EXPECT_GT(changes.moved_count, 0);
  EXPECT_GT(changes.moved_bytes, 0);
  const ProblemHandle problem = Changed(0, 8192);
  const stowage_plan plan = PlanOf(larger);
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr), STOWAGE_OK);
}

TEST(Replan, LeavesRecordsWhereTheyMustStay) {
  const SolutionHandle first = Solve(ProblemOf(SmallSpec()));
  auto options = Sized<stowage_replan_options>();
  const uint64_t third = 2;
  options.movable = &third;
  options.movable_count = 1;
  auto error = Sized<stowage_error>();
  // The second record is in the way of the growth of the first, and must not
  // move.
  EXPECT_EQ(Replan(Changed(0, 8192), first, &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_FAILED_PRECONDITION) << error.message;
  options.movable_count = 0;
  EXPECT_NE(Replan(Changed(0, 64), first, &options, &error), nullptr)
      << error.message;
}

TEST(Replan, RefusesWhatItCannotPlan) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle first = Solve(problem);
  auto error = Sized<stowage_error>();
  stowage_options solve = DefaultOptions();
  solve.incumbent = first.get();
  auto options = Sized<stowage_replan_options>();
  options.solve = &solve;
  EXPECT_EQ(Replan(problem, first, &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message,
              ::testing::StartsWith("options->solve->incumbent: "));
  solve = DefaultOptions();
  solve.decide = 5;
  EXPECT_EQ(Replan(problem, first, &options, &error), nullptr);
  EXPECT_THAT(error.message,
              ::testing::StartsWith("options->solve->decide: 5"));
  options = Sized<stowage_replan_options>();
  options.reserved = 1;
  EXPECT_EQ(Replan(problem, first, &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  const uint64_t none = 3;
  options = Sized<stowage_replan_options>();
  options.movable = &none;
  options.movable_count = 1;
  EXPECT_EQ(Replan(problem, first, &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  ProblemSpec objects = SmallSpec();
  objects.kind = PlanKind::kObjects;
  EXPECT_EQ(Replan(problem, Solve(ProblemOf(objects)), nullptr, &error),
            nullptr);
  EXPECT_EQ(error.code, STOWAGE_UNIMPLEMENTED);
  auto changes = Sized<stowage_changes>();
  EXPECT_EQ(stowage_solution_changes(first.get(), &changes, nullptr),
            STOWAGE_FAILED_PRECONDITION);
}

TEST(Replan, MayLoseItsHandlesInACallback) {
  ProblemHandle problem = ProblemOf(HardSpec());
  SolutionHandle previous = Solve(problem);
  ProblemSpec grown = HardSpec();
  for (auto& record : grown.records) record.tensor_size += 1;
  problem = ProblemOf(grown);
  Action action = [&] {
    problem.reset();
    previous.reset();
    return 0;
  };
  stowage_options solve = Watched(&action);
  solve.strategy = "optimal";
  solve.node_budget = 3000;
  auto options = Sized<stowage_replan_options>();
  options.solve = &solve;
  const SolutionHandle next = Replan(problem, previous, &options);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(problem, nullptr);
  EXPECT_EQ(previous, nullptr);
  const stowage_plan plan = PlanOf(next);
  EXPECT_EQ(stowage_verify(ProblemOf(grown).get(), &plan, nullptr, nullptr),
            STOWAGE_OK);
}

TEST(PlanForAll, IsAPlanForEveryShape) {
  const ProblemHandle shapes[] = {Changed(0, 8192), Changed(1, 2048),
                                  Changed(2, 512)};
  const stowage_problem* handles[] = {shapes[0].get(), shapes[1].get(),
                                      shapes[2].get()};
  stowage_solution* made = nullptr;
  ASSERT_EQ(stowage_plan_for_all(handles, 3, nullptr, &made, nullptr),
            STOWAGE_OK);
  const SolutionHandle solution(made);
  const stowage_plan plan = PlanOf(solution);
  EXPECT_EQ(plan.total_size, 8192 + 2048);
  for (const stowage_problem* shape : handles) {
    EXPECT_EQ(stowage_verify(shape, &plan, nullptr, nullptr), STOWAGE_OK);
  }
}

TEST(ProblemForAll, HasPlansForEveryShape) {
  const ProblemHandle shapes[] = {Changed(0, 8192), Changed(1, 2048)};
  const stowage_problem* handles[] = {shapes[0].get(), shapes[1].get()};
  stowage_problem* made = nullptr;
  ASSERT_EQ(stowage_problem_for_all(handles, 2, &made, nullptr), STOWAGE_OK);
  const ProblemHandle problem(made);
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  EXPECT_EQ(plan.total_size, 8192 + 2048);
  for (const stowage_problem* shape : handles) {
    EXPECT_EQ(stowage_verify(shape, &plan, nullptr, nullptr), STOWAGE_OK);
  }
}

TEST(ProblemForAll, RefusesShapesThatDiffer) {
  ProblemSpec two = SmallSpec();
  two.records.pop_back();
  const ProblemHandle first = ProblemOf(SmallSpec());
  const ProblemHandle second = ProblemOf(two);
  const stowage_problem* handles[] = {first.get(), second.get()};
  stowage_problem* made = nullptr;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_problem_for_all(handles, 2, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message,
              HasSubstr("shape 1: it has 2 records; expected 3"));
  EXPECT_EQ(stowage_problem_for_all(handles, 0, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
}

TEST(PlanForAll, RefusesShapesThatDiffer) {
  ProblemSpec two = SmallSpec();
  two.records.pop_back();
  const ProblemHandle first = ProblemOf(SmallSpec());
  const ProblemHandle second = ProblemOf(two);
  const stowage_problem* handles[] = {first.get(), second.get()};
  stowage_solution* made = nullptr;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_plan_for_all(handles, 2, nullptr, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_plan_for_all(handles, 0, nullptr, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  handles[1] = nullptr;
  EXPECT_EQ(stowage_plan_for_all(handles, 2, nullptr, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("problems[1]"));
  EXPECT_EQ(stowage_plan_for_all(handles, SIZE_MAX, nullptr, &made, &error),
            STOWAGE_OUT_OF_RANGE);
  EXPECT_EQ(made, nullptr);
}

// Passes null for each pointer that must not be null, one pointer at a time.
TEST(CacheAndReplan, RefuseNull) {
  const CacheHandle cache = NewCache();
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle previous = Solve(problem);
  stowage_solution* made = nullptr;
  stowage_problem* joined = nullptr;
  auto stats = Sized<stowage_plan_cache_stats>();
  auto changes = Sized<stowage_changes>();
  stowage_plan_cache* const c = cache.get();
  const stowage_problem* const p = problem.get();
  const stowage_solution* const s = previous.get();
  for (const stowage_code code : {
           stowage_plan_cache_get(nullptr, p, nullptr, &made, nullptr),
           stowage_plan_cache_get(c, nullptr, nullptr, &made, nullptr),
           stowage_plan_cache_get(c, p, nullptr, nullptr, nullptr),
           stowage_plan_cache_improve(nullptr, nullptr, nullptr, nullptr),
           stowage_plan_cache_load(nullptr, "x", nullptr, nullptr),
           stowage_plan_cache_load(c, nullptr, nullptr, nullptr),
           stowage_plan_cache_save(nullptr, "x", nullptr),
           stowage_plan_cache_save(c, nullptr, nullptr),
           stowage_plan_cache_get_stats(nullptr, &stats, nullptr),
           stowage_plan_cache_get_stats(c, nullptr, nullptr),
           stowage_replan(nullptr, s, nullptr, &made, nullptr),
           stowage_replan(p, nullptr, nullptr, &made, nullptr),
           stowage_replan(p, s, nullptr, nullptr, nullptr),
           stowage_solution_changes(nullptr, &changes, nullptr),
           stowage_solution_changes(s, nullptr, nullptr),
           stowage_plan_for_all(nullptr, 1, nullptr, &made, nullptr),
           stowage_plan_for_all(&p, 1, nullptr, nullptr, nullptr),
           stowage_problem_for_all(nullptr, 1, &joined, nullptr),
           stowage_problem_for_all(&p, 1, nullptr, nullptr),
           // Passes a handle of a different kind.
           stowage_plan_cache_save(
               reinterpret_cast<const stowage_plan_cache*>(p), "x", nullptr),
       }) {
    EXPECT_EQ(code, STOWAGE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(made, nullptr);
  stowage_plan_cache_free(nullptr);
}

}  // namespace
}  // namespace stowage::c_test
