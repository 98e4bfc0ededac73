// SPDX-License-Identifier: Apache-2.0
// Tests functions provided by the caller: strategies, observers, and receivers
// of text. These functions misbehave as badly as the interface permits.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/problem.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;

// The actions of the callbacks in a test.
struct Context {
  std::function<stowage_code(const stowage_problem*, uint64_t*, uint32_t*)>
      plan;
  std::function<int32_t(const stowage_progress*)> progress;
  std::function<int32_t()> keep_going;
  std::function<int32_t(std::string)> write;
};

stowage_code Plan(void* context, const stowage_problem* problem,
                  uint64_t* places, uint32_t* pools) {
  return static_cast<Context*>(context)->plan(problem, places, pools);
}
int32_t Progress(void* context, const stowage_progress* progress) {
  return static_cast<Context*>(context)->progress(progress);
}
int32_t KeepGoing(void* context) {
  return static_cast<Context*>(context)->keep_going();
}
int32_t Write(void* context, const char* text, size_t size) {
  return static_cast<Context*>(context)->write(std::string(text, size));
}

constexpr uint64_t kOffsets = 1 << STOWAGE_FEATURE_OFFSETS;
constexpr uint64_t kObjects = 1 << STOWAGE_FEATURE_OBJECTS;

// Solves a problem with the strategy of the context, and returns the code.
stowage_code SolveWith(const ProblemSpec& spec, uint64_t features,
                       Context* context, SolutionHandle* solution = nullptr,
                       stowage_error* error = nullptr) {
  stowage_solution* made = nullptr;
  const stowage_code code = stowage_solve_with(
      ProblemOf(spec).get(), features, &Plan, context, nullptr, &made, error);
  SolutionHandle owned(made);
  EXPECT_EQ(made != nullptr, code == STOWAGE_OK);
  if (solution != nullptr) *solution = std::move(owned);
  return code;
}

TEST(SolveWith, UsesTheOffsetsOfTheCaller) {
  Context context;
  context.plan = [](const stowage_problem* problem, uint64_t* places,
                    uint32_t* pools) {
    EXPECT_EQ(pools, nullptr);
    auto info = Sized<stowage_problem_info>();
    EXPECT_EQ(stowage_problem_get_info(problem, &info, nullptr), STOWAGE_OK);
    EXPECT_EQ(info.count, 3);
    EXPECT_EQ(info.kind, STOWAGE_OFFSETS);
    EXPECT_EQ(info.features, kOffsets);
    EXPECT_EQ(places[0], 0);
    places[1] = 4096;
    return STOWAGE_OK;
  };
  SolutionHandle solution;
  ASSERT_EQ(SolveWith(SmallSpec(), kOffsets, &context, &solution), STOWAGE_OK);
  EXPECT_EQ(SummaryOf(solution).status, STOWAGE_OPTIMAL);
  EXPECT_EQ(PlanOf(solution).total_size, 5120);
  EXPECT_STREQ(stowage_solution_strategy(solution.get()), "caller");
}

TEST(SolveWith, UsesTheObjectsOfTheCaller) {
  ProblemSpec spec = SmallSpec();
  spec.kind = PlanKind::kObjects;
  Context context;
  context.plan = [](const stowage_problem*, uint64_t* places, uint32_t*) {
    places[0] = places[2] = 99;
    places[1] = 7;
    return STOWAGE_OK;
  };
  SolutionHandle solution;
  ASSERT_EQ(SolveWith(spec, kObjects, &context, &solution), STOWAGE_OK);
  const stowage_plan plan = PlanOf(solution);
  EXPECT_EQ(plan.total_size, 5120);
  EXPECT_EQ(plan.object_count, 2);
  EXPECT_EQ(plan.objects[2], 0);
  EXPECT_EQ(plan.object_sizes[1], 1024);
}

TEST(SolveWith, UsesThePoolsOfTheCaller) {
  ProblemSpec spec = SmallSpec();
  spec.constraints.pools = {{"fast", 4096}, {"slow", {}}};
  Context context;
  context.plan = [](const stowage_problem*, uint64_t*, uint32_t* pools) {
    pools[1] = 1;
    return STOWAGE_OK;
  };
  SolutionHandle solution;
  ASSERT_EQ(SolveWith(spec, kOffsets | 1 << STOWAGE_FEATURE_POOLS, &context,
                      &solution),
            STOWAGE_OK);
  EXPECT_EQ(PlanOf(solution).total_size, 5120);
  EXPECT_EQ(PlanOf(solution).pools[1], 1);
}

TEST(SolveWith, SeesTheProblemWithItsOrder) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}};
  spec.free_order =
      FreeOrder{3, {{0, 1}}, std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}}};
  Context context;
  context.plan = [](const stowage_problem* problem, uint64_t* places,
                    uint32_t*) {
    stowage_record records[2];
    EXPECT_EQ(stowage_problem_records(problem, records, 2, nullptr),
              STOWAGE_OK);
    EXPECT_GT(records[0].last_task + records[1].last_task, 0);
    places[1] = 8;
    return STOWAGE_OK;
  };
  SolutionHandle solution;
  ASSERT_EQ(SolveWith(spec, kOffsets, &context, &solution), STOWAGE_OK);
  EXPECT_EQ(PlanOf(solution).order_count, 3);
}

TEST(SolveWith, RefusesUnsafePlansWithBothRecords) {
  Context context;
  context.plan = [](const stowage_problem*, uint64_t*, uint32_t*) {
    return STOWAGE_OK;
  };
  auto error = Sized<stowage_error>();
  EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context, nullptr, &error),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(error.record, 0);
  EXPECT_EQ(error.other_record, 1);
}

TEST(SolveWith, RefusesOffsetsBeyondAllMemory) {
  Context context;
  context.plan = [](const stowage_problem*, uint64_t* places, uint32_t*) {
    places[0] = UINT64_MAX - 63;
    return STOWAGE_OK;
  };
  EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context),
            STOWAGE_FAILED_PRECONDITION);
}

TEST(SolveWith, RefusesProblemsWithOtherFeatures) {
  Context context;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(SolveWith(SmallSpec(), kObjects, &context, nullptr, &error),
            STOWAGE_UNIMPLEMENTED);
  EXPECT_EQ(error.missing_features, kOffsets);
  EXPECT_EQ(SolveWith(SmallSpec(), 1 << 9, &context), STOWAGE_INVALID_ARGUMENT);
}

TEST(SolveWith, PassesCodesOnAndMistrustsOtherNumbers) {
  Context context;
  constexpr stowage_code kReturned[] = {STOWAGE_CANCELLED,
                                        STOWAGE_RESOURCE_EXHAUSTED,
                                        STOWAGE_UNAUTHENTICATED,
                                        17,
                                        -1,
                                        INT32_MIN};
  for (const stowage_code code : kReturned) {
    context.plan = [code](const stowage_problem*, uint64_t*, uint32_t*) {
      return code;
    };
    const bool is_code = code > 0 && code <= STOWAGE_UNAUTHENTICATED;
    EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context),
              is_code ? code : STOWAGE_INTERNAL)
        << code;
  }
}

// Although the incumbent is a valid plan, the call fails with the code that the
// function of the caller returns.
TEST(SolveWith, PassesACodeOnDespiteAnIncumbent) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  stowage_options options = DefaultOptions();
  options.strategy = "naive";
  const SolutionHandle incumbent = Solve(problem, &options);
  options.strategy = nullptr;
  options.incumbent = incumbent.get();
  Context context;
  context.plan = [](const stowage_problem*, uint64_t*, uint32_t*) {
    return STOWAGE_RESOURCE_EXHAUSTED;
  };
  stowage_solution* made = nullptr;
  EXPECT_EQ(stowage_solve_with(problem.get(), kOffsets, &Plan, &context,
                               &options, &made, nullptr),
            STOWAGE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(made, nullptr);
}

TEST(SolveWith, PassesACodeOnDespiteOtherChoicesOfGroups) {
  ProblemSpec spec;
  spec.records = {{64, 0, 3}, {16, 2, 5}};
  spec.constraints.places = {{0, {}, 1, 0}, {0, {}, 1, 64}};
  spec.groups_are_optional = true;
  Context context;
  int calls = 0;
  context.plan = [&](const stowage_problem*, uint64_t*, uint32_t*) {
    return ++calls == 1 ? STOWAGE_UNIMPLEMENTED : STOWAGE_OK;
  };
  EXPECT_EQ(SolveWith(spec, kOffsets | 1 << STOWAGE_FEATURE_GROUPS, &context),
            STOWAGE_UNIMPLEMENTED);
  EXPECT_EQ(calls, 1);
}

TEST(SolveWith, TurnsExceptionsIntoErrors) {
  Context context;
  context.plan = [](const stowage_problem*, uint64_t*,
                    uint32_t*) -> stowage_code {
    throw std::runtime_error("no \xFF luck");
  };
  auto error = Sized<stowage_error>();
  EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context, nullptr, &error),
            STOWAGE_INTERNAL);
  EXPECT_THAT(error.message, HasSubstr("no ? luck"));
  context.plan = [](const stowage_problem*, uint64_t*,
                    uint32_t*) -> stowage_code { throw 7; };
  EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context), STOWAGE_INTERNAL);
}

TEST(SolveWith, MayCallBackIn) {
  Context context;
  context.plan = [](const stowage_problem* problem, uint64_t* places,
                    uint32_t*) {
    stowage_solution* inner = nullptr;
    EXPECT_EQ(stowage_solve(problem, nullptr, &inner, nullptr), STOWAGE_OK);
    const SolutionHandle owned(inner);
    const stowage_plan plan = PlanOf(owned);
    for (uint64_t i = 0; i < plan.count; ++i) places[i] = plan.offsets[i];
    return STOWAGE_OK;
  };
  EXPECT_EQ(SolveWith(SmallSpec(), kOffsets, &context), STOWAGE_OK);
}

// Returns options for a long search that calls the functions of the context.
stowage_options Watched(Context* context) {
  stowage_options options = DefaultOptions();
  options.strategy = "optimal";
  options.time_limit_ns = INT64_MAX;
  options.context = context;
  if (context->progress) options.progress = &Progress;
  if (context->keep_going) options.keep_going = &KeepGoing;
  return options;
}

TEST(Observer, IsToldOfProgressAndEndsTheSearch) {
  Context context;
  uint64_t last_total = UINT64_MAX;
  context.progress = [&](const stowage_progress* progress) {
    EXPECT_EQ(progress->struct_size, sizeof(stowage_progress));
    EXPECT_LE(progress->total_size, last_total);
    EXPECT_LE(progress->lower_bound, progress->total_size);
    EXPECT_STRNE(progress->found_by, "");
    last_total = progress->total_size;
    return 1;
  };
  const stowage_options options = Watched(&context);
  const SolutionHandle solution = Solve(ProblemOf(HardSpec()), &options);
  ASSERT_NE(solution, nullptr);
  EXPECT_NE(last_total, UINT64_MAX);
  EXPECT_GT(PlanOf(solution).count, 0);
}

TEST(Observer, EndsTheSearchByAnyNumberButZero) {
  for (const int32_t end : {1, -1, INT32_MIN}) {
    Context context;
    int calls = 0;
    context.keep_going = [&] { return ++calls < 3 ? 0 : end; };
    const stowage_options options = Watched(&context);
    EXPECT_NE(Solve(ProblemOf(HardSpec()), &options), nullptr);
    EXPECT_EQ(calls, 3);
  }
}

TEST(Observer, MayThrow) {
  for (const uint32_t threads : {1u, 2u}) {
    for (const bool in_progress : {false, true}) {
      Context context;
      const auto fail = []() -> int32_t { throw std::runtime_error("full"); };
      if (in_progress) {
        context.progress = [&](const stowage_progress*) { return fail(); };
      } else {
        context.keep_going = fail;
      }
      stowage_options options = Watched(&context);
      options.threads = threads;
      auto error = Sized<stowage_error>();
      EXPECT_EQ(Solve(ProblemOf(HardSpec()), &options, &error), nullptr);
      EXPECT_EQ(error.code, STOWAGE_INTERNAL);
      EXPECT_THAT(error.message, HasSubstr("full"));
    }
  }
}

TEST(Observer, MayCallBackIn) {
  Context context;
  const ProblemHandle problem = ProblemOf(HardSpec());
  int calls = 0;
  context.keep_going = [&] {
    const SolutionHandle inner = Solve(problem);
    EXPECT_NE(inner, nullptr);
    return ++calls < 2 ? 0 : 1;
  };
  const stowage_options options = Watched(&context);
  EXPECT_NE(Solve(problem, &options), nullptr);
  EXPECT_EQ(calls, 2);
}

TEST(Observer, MayFork) {
  Context context;
  const ProblemHandle small = ProblemOf(SmallSpec());
  int status = -1;
  context.keep_going = [&] {
    const pid_t child = fork();
    if (child == 0) {
      const SolutionHandle solution = Solve(small);
      _exit(PlanOf(solution).total_size == 5120 ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return 1;
  };
  const stowage_options options = Watched(&context);
  EXPECT_NE(Solve(ProblemOf(HardSpec()), &options), nullptr);
  EXPECT_EQ(status, 0);
}

TEST(Threads, ShareAProblemAndASolution) {
  const ProblemHandle problem = ProblemOf(HardSpec());
  const SolutionHandle first = Solve(problem);
  const uint64_t expected = PlanOf(first).total_size;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      stowage_options options = DefaultOptions();
      options.incumbent = first.get();
      const SolutionHandle again = Solve(problem, &options);
      EXPECT_EQ(PlanOf(again).total_size, expected);
      uint64_t fingerprint[2];
      EXPECT_EQ(
          stowage_problem_fingerprint(problem.get(), fingerprint, nullptr),
          STOWAGE_OK);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

stowage_cancel_token* token_of_handler = nullptr;
void CancelInHandler(int) { stowage_cancel(token_of_handler); }

TEST(CancelToken, EndsASearchFromASignalHandlerAndAThread) {
  const ProblemHandle problem = ProblemOf(HardSpec());
  Context context;
  stowage_options options = Watched(&context);
  {
    const TokenHandle token(stowage_cancel_token_new());
    token_of_handler = token.get();
    options.cancel = token.get();
    const auto before = std::signal(SIGUSR1, &CancelInHandler);
    std::raise(SIGUSR1);
    std::signal(SIGUSR1, before);
    EXPECT_NE(Solve(problem, &options), nullptr);  // ends at once
  }
  const TokenHandle token(stowage_cancel_token_new());
  options.cancel = token.get();
  std::thread other([&] { stowage_cancel(token.get()); });
  EXPECT_NE(Solve(problem, &options), nullptr);
  other.join();
  stowage_cancel(nullptr);
}

TEST(Incumbent, IsKeptUnlessASmallerPlanIsFound) {
  ProblemSpec spec = SmallSpec();
  const ProblemHandle problem = ProblemOf(spec);
  const uint64_t offsets[] = {0, 4096, 8192};
  auto plan = Sized<stowage_plan>();
  plan.count = 3;
  plan.offsets = offsets;
  plan.total_size = STOWAGE_NONE;
  stowage_solution* made = nullptr;
  ASSERT_EQ(stowage_solution_create(problem.get(), &plan, &made, nullptr),
            STOWAGE_OK);
  const SolutionHandle incumbent(made);
  EXPECT_EQ(SummaryOf(incumbent).total_size, 12288);
  EXPECT_EQ(SummaryOf(incumbent).lower_bound, 5120);
  stowage_options options = DefaultOptions();
  options.incumbent = incumbent.get();
  options.strategy = "naive";
  EXPECT_EQ(PlanOf(Solve(problem, &options)).total_size, 9216);
  options.strategy = "skyline";
  EXPECT_EQ(PlanOf(Solve(problem, &options)).total_size, 5120);
  // The incumbent is a plan of another problem, so the call fails. The error
  // names the records that share bytes in the incumbent.
  spec.records[2].first_task = 2;
  auto error = Sized<stowage_error>();
  const SolutionHandle small = Solve(problem);
  options.incumbent = small.get();
  EXPECT_EQ(Solve(ProblemOf(spec), &options, &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(error.record, 0);
  EXPECT_EQ(error.other_record, 2);
}

TEST(Write, MayEndTheTextAndThrow) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  Context context;
  context.write = [](const std::string&) { return 1; };
  EXPECT_EQ(stowage_write_problem(problem.get(), nullptr, STOWAGE_CSV, &Write,
                                  &context, nullptr),
            STOWAGE_CANCELLED);
  const SolutionHandle solution = Solve(problem);
  EXPECT_EQ(stowage_write_certificate(problem.get(), solution.get(), &Write,
                                      &context, nullptr),
            STOWAGE_CANCELLED);
  context.write = [](const std::string&) -> int32_t { throw 1; };
  EXPECT_EQ(stowage_write_problem(problem.get(), nullptr, STOWAGE_JSON, &Write,
                                  &context, nullptr),
            STOWAGE_INTERNAL);
  EXPECT_EQ(stowage_write_certificate(problem.get(), solution.get(), &Write,
                                      &context, nullptr),
            STOWAGE_INTERNAL);
}

}  // namespace
}  // namespace stowage::c_test
