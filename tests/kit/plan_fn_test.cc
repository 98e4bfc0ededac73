// SPDX-License-Identifier: Apache-2.0
// Tests how planners from other sources are used: planners written in C, and
// the strategies of this library.
#include "stowage/testing/plan_fn.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"
#include "tests/support/status_matchers.h"

extern "C" int plan_one_after_another(  // defined in c_planner.c
    void* context, const struct stowage_test_record* records, size_t count,
    uint64_t* offsets, uint64_t* total_size);

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;

TEST(PlanFnOfTest, IsThePlannerInC) {
  int calls = 0;
  const PlanFn planner = PlanFnOf(&plan_one_after_another, &calls);
  const ByteRecords records = {{5, 0, 1}, {0, 1, 2}, {7, 5, 9}};
  const std::vector<size_t> alignments = {1, 4, 16};
  const auto plan = planner(records, Alignments(alignments));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre(0, 8, 16));
  EXPECT_EQ(plan->total_size, 23);
  EXPECT_EQ(calls, 1);
}

TEST(PlanFnOfTest, ThePlannerInCPassesTheKit) {
  const auto failure = FindFailure(PlanFnOf(&plan_one_after_another, nullptr));
  EXPECT_FALSE(failure) << Describe(*failure);
}

TEST(PlanFnOfTest, PassesTheWholeRecord) {
  stowage_test_record seen{};
  const PlanFn planner = PlanFnOf(
      [](void* context, const stowage_test_record* records, size_t /*count*/,
         uint64_t* offsets, uint64_t* total_size) -> int {
        *static_cast<stowage_test_record*>(context) = records[0];
        offsets[0] = 0;
        *total_size = records[0].size;
        return STOWAGE_TEST_PLANNED;
      },
      &seen);
  constexpr TaskId kLast = std::numeric_limits<TaskId>::max();
  ASSERT_THAT(planner(ByteRecords{{7, 3, kLast}}, 64), IsOk());
  EXPECT_EQ(seen.size, 7);
  EXPECT_EQ(seen.first_task, 3);
  EXPECT_EQ(seen.last_task, kLast);
  EXPECT_EQ(seen.alignment, 64);
}

// A stub for a planner that writes no offsets. Returns the int to which
// `context` points.
int Answer(void* context, const stowage_test_record* /*records*/,
           size_t /*count*/, uint64_t* /*offsets*/, uint64_t* total_size) {
  *total_size = 16;
  return *static_cast<int*>(context);
}

TEST(PlanFnOfTest, AnswersAreStatuses) {
  const struct {
    int answer;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {STOWAGE_TEST_REFUSED, absl::StatusCode::kOutOfRange,
       "the planner refused the records"},
      {STOWAGE_TEST_UNSUPPORTED, absl::StatusCode::kUnimplemented,
       "the planner does not support this"},
      {-1, absl::StatusCode::kInternal,
       "the planner returned -1; expected 0, 1 or 2"},
  };
  for (const auto& c : cases) {
    int answer = c.answer;
    EXPECT_THAT(PlanFnOf(&Answer, &answer)(ByteRecords{{1, 0, 0}}, 1),
                FailsWith(c.code, c.message));
  }
}

TEST(PlanFnOfTest, AnOffsetThatIsForgottenIsNoPlace) {
  int answer = STOWAGE_TEST_PLANNED;
  const ByteRecords records = {{1, 0, 0}};
  const auto bounds = FindProperty("bounds");
  ASSERT_THAT(bounds, IsOk());
  EXPECT_THAT(bounds->check(PlanFnOf(&Answer, &answer), SpecOf(records)),
              FailsWith(absl::StatusCode::kInternal,
                        "tensor 0 with 1 bytes at offset 18446744073709551615 "
                        "ends beyond the arena of 16"));
}

TEST(PlanFnOfTest, AnOffsetTooManyIsSeen) {
  struct Write {
    size_t where;  // distance from the end of the list of offsets
    uint64_t what;
  };
  for (Write write : {Write{0, 0}, Write{0, SIZE_MAX}, Write{1, 0}, Write{2, 1},
                      Write{3, 0}}) {
    const PlanFn planner = PlanFnOf(
        [](void* context, const stowage_test_record* /*records*/, size_t count,
           uint64_t* offsets, uint64_t* total_size) -> int {
          const auto* const beyond = static_cast<const Write*>(context);
          offsets[0] = 0;
          offsets[count + beyond->where] = beyond->what;
          *total_size = 16;
          return STOWAGE_TEST_PLANNED;
        },
        &write);
    EXPECT_THAT(planner(ByteRecords{{1, 0, 0}}, 1),
                FailsWith(absl::StatusCode::kInternal,
                          "the planner wrote more than 1 offsets for as many "
                          "records"));
  }
}

TEST(StrategyPlanFnTest, PlansWithTheAlignmentsOfTheCall) {
  const ByteRecords records = {{5, 0, 1}, {3, 1, 2}};
  const auto plan = StrategyPlanFn("greedy_by_size")(records, 64);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre(0, 64));
  const auto objects = StrategyObjectsPlanFn("greedy_by_size")(records);
  ASSERT_THAT(objects, IsOk());
  EXPECT_THAT(objects->object_sizes, ElementsAre(5, 3));
}

TEST(StrategyPlanFnTest, ErrorsAreThoseOfSolve) {
  EXPECT_EQ(
      StrategyPlanFn("no_such_strategy")(ByteRecords{}, 1).status().code(),
      absl::StatusCode::kNotFound);
  EXPECT_EQ(
      StrategyObjectsPlanFn("no_such_strategy")(ByteRecords{}).status().code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stowage::testing
