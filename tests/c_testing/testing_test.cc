// SPDX-License-Identifier: Apache-2.0
// Tests the C interface for testing planners: which failures it finds, how it
// shrinks and repeats them, and what it reports about misbehaving functions.
#include "stowage/c/testing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_testing/report.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;

using PlanFunction =
    std::function<stowage_code(const stowage_problem*, uint64_t*, uint32_t*)>;

stowage_code CallPlan(void* context, const stowage_problem* problem,
                      uint64_t* places, uint32_t* pools) {
  return (*static_cast<const PlanFunction*>(context))(problem, places, pools);
}

std::vector<stowage_record> RecordsOf(const stowage_problem* problem) {
  auto info = Sized<stowage_problem_info>();
  stowage_problem_get_info(problem, &info, nullptr);
  std::vector<stowage_record> records(info.count);
  stowage_problem_records(problem, records.data(), records.size(), nullptr);
  return records;
}

std::vector<uint64_t> AlignmentsOf(const stowage_problem* problem) {
  std::vector<uint64_t> alignments(RecordsOf(problem).size());
  stowage_problem_alignments(problem, alignments.data(), alignments.size(),
                             nullptr);
  return alignments;
}

// Places each record above the previous one.
stowage_code Stack(const stowage_problem* problem, uint64_t* places,
                   uint32_t* /*pools*/) {
  const std::vector<stowage_record> records = RecordsOf(problem);
  const std::vector<uint64_t> alignments = AlignmentsOf(problem);
  uint64_t top = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    places[i] = (top + alignments[i] - 1) / alignments[i] * alignments[i];
    top = places[i] + records[i].size;
  }
  return STOWAGE_OK;
}

// Solves the problem with skyline, a strategy of the library that does not
// support all pools.
stowage_code PlanBySkyline(const stowage_problem* problem, uint64_t* places,
                           uint32_t* pools) {
  stowage_solution* solution = nullptr;
  stowage_code code = stowage_solve(problem, nullptr, &solution, nullptr);
  if (code != STOWAGE_OK) return code;
  const SolutionHandle owner(solution);
  auto plan = Sized<stowage_plan>();
  code = stowage_solution_plan(solution, &plan, nullptr);
  if (code != STOWAGE_OK) return code;
  std::copy_n(plan.objects == nullptr ? plan.offsets : plan.objects, plan.count,
              places);
  if (pools != nullptr) std::copy_n(plan.pools, plan.count, pools);
  return STOWAGE_OK;
}

stowage_test_options TestOptions(uint64_t samples) {
  auto options = Sized<stowage_test_options>();
  stowage_test_options_init(&options, nullptr);
  options.samples = samples;
  return options;
}

struct Outcome {
  stowage_code code = STOWAGE_OK;
  TestReport report;
  stowage_test_summary summary = Sized<stowage_test_summary>();
};

Outcome RunTest(PlanFunction function, const stowage_test_options& options) {
  Outcome outcome;
  stowage_test_report* report = nullptr;
  outcome.code =
      stowage_test_planner(&CallPlan, &function, &options, &report, nullptr);
  outcome.report.reset(report);
  if (report != nullptr) {
    stowage_test_report_summary(report, &outcome.summary, nullptr);
  }
  return outcome;
}

// Returns the records of one of the problems of the failure, selected by
// `which`.
std::vector<stowage_record> RecordsOf(const Outcome& outcome, uint32_t which) {
  stowage_problem* problem = nullptr;
  EXPECT_EQ(stowage_test_report_problem(outcome.report.get(), which, &problem,
                                        nullptr),
            STOWAGE_OK);
  const ProblemHandle owner(problem);
  return RecordsOf(problem);
}

TEST(TestPlanner, FindsNothingInCorrectPlanners) {
  stowage_test_options options = TestOptions(150);
  for (const PlanFunction& planner :
       {PlanFunction(Stack), PlanFunction(PlanBySkyline)}) {
    const Outcome outcome = RunTest(planner, options);
    ASSERT_EQ(outcome.code, STOWAGE_OK);
    EXPECT_EQ(outcome.summary.has_failed, 0) << outcome.summary.description;
    EXPECT_EQ(outcome.summary.is_cancelled, 0);
    EXPECT_GT(outcome.summary.runs, 1000);
    EXPECT_EQ(outcome.summary.property, nullptr);
    stowage_problem* problem = nullptr;
    EXPECT_EQ(
        stowage_test_report_problem(outcome.report.get(), 0, &problem, nullptr),
        STOWAGE_FAILED_PRECONDITION);
  }
  options.kind = STOWAGE_OBJECTS;
  EXPECT_EQ(RunTest(PlanBySkyline, options).summary.has_failed, 0);
  options.kind = STOWAGE_OFFSETS;
  options.features = uint64_t{1} << STOWAGE_FEATURE_GROUPS |
                     uint64_t{1} << STOWAGE_FEATURE_POOLS;
  EXPECT_EQ(RunTest(PlanBySkyline, options).summary.has_failed, 0);
}

TEST(TestPlanner, ShrinksAnUnsafePlan) {
  const PlanFunction all_at_zero = [](auto*...) { return STOWAGE_OK; };
  const Outcome outcome = RunTest(all_at_zero, TestOptions(2000));
  ASSERT_EQ(outcome.summary.has_failed, 1);
  EXPECT_STREQ(outcome.summary.property, "safety");
  EXPECT_STREQ(outcome.summary.message,
               "tensor 0 and tensor 1 both hold bytes [0, 1) at task 0");
  EXPECT_THAT(outcome.summary.description,
              HasSubstr("tensor 1   1 byte, tasks [0, 0]\n"));
  for (const uint32_t which : {STOWAGE_TEST_SMALLEST, STOWAGE_TEST_ASKED}) {
    const std::vector<stowage_record> records = RecordsOf(outcome, which);
    ASSERT_EQ(records.size(), 2);
    EXPECT_EQ(records[0].size, 1);
    EXPECT_EQ(records[1].last_task, 0);
  }
  EXPECT_GE(RecordsOf(outcome, STOWAGE_TEST_FOUND).size(), 2);
  stowage_problem* problem = nullptr;
  EXPECT_EQ(
      stowage_test_report_problem(outcome.report.get(), 3, &problem, nullptr),
      STOWAGE_INVALID_ARGUMENT);
}

// Treats intervals as half-open by mistake: reuses memory at the last task of a
// record.
stowage_code StackHalfOpen(const stowage_problem* problem, uint64_t* places,
                           uint32_t* pools) {
  const std::vector<stowage_record> records = RecordsOf(problem);
  Stack(problem, places, pools);
  for (size_t i = 1; i < records.size(); ++i) {
    if (records[i].first_task == records[i - 1].last_task) places[i] = 0;
  }
  return STOWAGE_OK;
}

TEST(TestPlanner, RepeatsAFailureAlone) {
  stowage_test_options options = TestOptions(2000);
  options.seed = 5;
  const Outcome outcome = RunTest(StackHalfOpen, options);
  ASSERT_EQ(outcome.summary.has_failed, 1);
  EXPECT_EQ(outcome.summary.replay, "options.seed = 5; options.first = " +
                                        std::to_string(outcome.summary.sample) +
                                        "; options.samples = 1;");
  options.first = outcome.summary.sample;
  options.samples = 1;
  const Outcome again = RunTest(StackHalfOpen, options);
  EXPECT_STREQ(again.summary.description, outcome.summary.description);
  EXPECT_STREQ(again.summary.replay, outcome.summary.replay);
  EXPECT_LT(again.summary.runs, outcome.summary.runs);
}

TEST(TestPlanner, TriesTheFamiliesThatAreNamed) {
  stowage_test_options options = TestOptions(200);
  const char* families[] = {"one_per_task"};
  options.families = families;
  options.family_count = 1;
  const PlanFunction at_zero = [](auto*...) { return STOWAGE_OK; };
  // In this family, no two records are live at the same time unless a property
  // adds a record.
  EXPECT_STREQ(RunTest(at_zero, options).summary.property, "adding_a_record");
}

TEST(TestPlanner, ChecksClaims) {
  stowage_test_options options = TestOptions(200);
  const char* claims[] = {"monotone_optimum", "same_plan_in_any_order"};
  options.claims = claims;
  options.claim_count = 2;
  EXPECT_STREQ(RunTest(Stack, options).summary.property,
               "same_plan_in_any_order");
}

TEST(TestPlanner, SaysWhichFeatureIsNotHonoured) {
  stowage_test_options options = TestOptions(500);
  options.features = uint64_t{1} << STOWAGE_FEATURE_FIXED_OFFSETS;
  const Outcome outcome = RunTest(Stack, options);
  EXPECT_STREQ(outcome.summary.property, "fixed_offsets");
  EXPECT_THAT(outcome.summary.description, HasSubstr("\"fixed\""));
}

TEST(TestPlanner, ReportsFunctionsThatMisbehave) {
  struct Case {
    const char* description;
    PlanFunction function;
    const char* property;
    const char* message;
  };
  const Case cases[] = {
      {"throws",
       [](auto*...) -> stowage_code { throw std::runtime_error("boom"); },
       "completeness", "exception of a callback: boom"},
      {"throws a number", [](auto*...) -> stowage_code { throw 1; },
       "completeness", "exception of a callback"},
      {"writes behind the last place",
       [](const stowage_problem* problem, uint64_t* places, uint32_t* pools) {
         places[RecordsOf(problem).size()] = 0;
         return Stack(problem, places, pools);
       },
       "completeness", "the planner wrote more than 0 places"},
      {"refuses", [](auto*...) { return STOWAGE_RESOURCE_EXHAUSTED; },
       "completeness", "returned RESOURCE_EXHAUSTED"},
      {"returns no code", [](auto*...) { return 99; }, "completeness",
       "returned 99; expected a stowage_code"},
      {"supports nothing", [](auto*...) { return STOWAGE_UNIMPLEMENTED; },
       "planned", "has planned none of the problems"},
      {"remembers",
       [calls = uint64_t{0}](const stowage_problem* problem, uint64_t* places,
                             uint32_t* pools) mutable {
         Stack(problem, places, pools);
         const size_t count = RecordsOf(problem).size();
         for (size_t i = 0; i < count; ++i) places[i] += (calls & 7) << 20;
         ++calls;
         return STOWAGE_OK;
       },
       "determinism", ""},
  };
  for (const Case& c : cases) {
    const Outcome outcome = RunTest(c.function, TestOptions(300));
    ASSERT_EQ(outcome.code, STOWAGE_OK) << c.description;
    ASSERT_EQ(outcome.summary.has_failed, 1) << c.description;
    EXPECT_STREQ(outcome.summary.property, c.property) << c.description;
    EXPECT_THAT(outcome.summary.message, HasSubstr(c.message)) << c.description;
  }
}

const char* Reason(void* /*context*/) { return "no memory in the lab"; }

TEST(TestPlanner, ShowsTheReasonOfThePlanner) {
  stowage_test_options options = TestOptions(100);
  options.reason = &Reason;
  const Outcome outcome =
      RunTest([](auto*...) { return STOWAGE_RESOURCE_EXHAUSTED; }, options);
  EXPECT_STREQ(
      outcome.summary.message,
      "the planner refused records that have a plan: no memory in the lab");
}

TEST(TestPlanner, EndsWhenItIsCancelled) {
  stowage_test_options options = TestOptions(uint64_t{1} << 30);
  stowage_cancel_token* const token = stowage_cancel_token_new();
  options.cancel = token;
  size_t calls = 0;
  // The callback also frees the token.
  const Outcome outcome = RunTest(
      [&](const stowage_problem* problem, uint64_t* places, uint32_t* pools) {
        if (++calls == 100) {
          stowage_cancel(token);
          stowage_cancel_token_free(token);
        }
        return Stack(problem, places, pools);
      },
      options);
  EXPECT_EQ(outcome.code, STOWAGE_OK);
  EXPECT_EQ(outcome.summary.is_cancelled, 1);
  EXPECT_EQ(outcome.summary.has_failed, 0);
  EXPECT_LT(calls, 200);
}

TEST(TestPlanner, MayBeCalledByAPlanner) {
  const PlanFunction nested = [](const stowage_problem* problem,
                                 uint64_t* places, uint32_t* pools) {
    const Outcome inner = RunTest(Stack, TestOptions(1));
    return inner.summary.has_failed != 0 ? STOWAGE_INTERNAL
                                         : Stack(problem, places, pools);
  };
  EXPECT_EQ(RunTest(nested, TestOptions(40)).summary.has_failed, 0);
}

TEST(TestPlanner, RefusesBadArguments) {
  struct Case {
    const char* description;
    std::function<void(stowage_test_options*)> change;
    stowage_code code;
    const char* message;
  };
  static const char* const kUnknown[] = {"nothing"};
  static const char* const kNull[] = {nullptr};
  const Case cases[] = {
      {"size 0", [](auto* o) { o->struct_size = 0; }, STOWAGE_INVALID_ARGUMENT,
       "struct_size: 0"},
      {"size too small", [](auto* o) { o->struct_size -= 8; },
       STOWAGE_INVALID_ARGUMENT, "struct_size"},
      {"kind", [](auto* o) { o->kind = 2; }, STOWAGE_INVALID_ARGUMENT, "kind"},
      {"samples", [](auto* o) { o->samples = UINT64_MAX; },
       STOWAGE_INVALID_ARGUMENT, "options->samples"},
      {"first", [](auto* o) { o->first = UINT64_MAX; },
       STOWAGE_INVALID_ARGUMENT, "options->first"},
      {"max_size", [](auto* o) { o->max_size = UINT64_MAX; },
       STOWAGE_INVALID_ARGUMENT, "options->max_size"},
      {"large_size", [](auto* o) { o->large_size = UINT64_MAX; },
       STOWAGE_INVALID_ARGUMENT, "options->large_size"},
      {"alignment", [](auto* o) { o->max_alignment = 12; },
       STOWAGE_INVALID_ARGUMENT, "options->max_alignment: 12"},
      {"features", [](auto* o) { o->features = 1; }, STOWAGE_INVALID_ARGUMENT,
       "options->features: 1"},
      {"features of objects",
       [](auto* o) {
         o->kind = STOWAGE_OBJECTS;
         o->features = uint64_t{1} << STOWAGE_FEATURE_GROUPS;
       },
       STOWAGE_INVALID_ARGUMENT, "shared objects"},
      {"null families", [](auto* o) { o->family_count = 1; },
       STOWAGE_INVALID_ARGUMENT, "families: null"},
      {"too many claims", [](auto* o) { o->claim_count = SIZE_MAX; },
       STOWAGE_OUT_OF_RANGE, "claims"},
      {"a null family",
       [](auto* o) {
         o->families = kNull;
         o->family_count = 1;
       },
       STOWAGE_INVALID_ARGUMENT, "families[0]: null"},
      {"an unknown family",
       [](auto* o) {
         o->families = kUnknown;
         o->family_count = 1;
       },
       STOWAGE_NOT_FOUND, "nothing"},
      {"an unknown claim",
       [](auto* o) {
         o->claims = kUnknown;
         o->claim_count = 1;
       },
       STOWAGE_NOT_FOUND, "nothing"},
  };
  PlanFunction stack = Stack;
  stowage_test_report* report = nullptr;
  for (const Case& c : cases) {
    stowage_test_options options = TestOptions(1);
    c.change(&options);
    auto error = Sized<stowage_error>();
    EXPECT_EQ(
        stowage_test_planner(&CallPlan, &stack, &options, &report, &error),
        c.code)
        << c.description;
    EXPECT_THAT(error.message, HasSubstr(c.message)) << c.description;
    EXPECT_EQ(report, nullptr) << c.description;
  }
  EXPECT_EQ(stowage_test_planner(nullptr, nullptr, nullptr, &report, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_test_planner(&CallPlan, &stack, nullptr, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(stowage_test_options_init(nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  auto summary = Sized<stowage_test_summary>();
  EXPECT_EQ(stowage_test_report_summary(nullptr, &summary, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  stowage_problem* problem = nullptr;
  EXPECT_EQ(stowage_test_report_problem(nullptr, 0, &problem, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  stowage_test_report_free(nullptr);
}

}  // namespace
}  // namespace stowage::c_test
