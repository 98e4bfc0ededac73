#include "src/program/check_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/testing/families.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using testing::Family;
using ::testing::HasSubstr;

struct Checked {
  CheckReport report;
  std::string failed;  // the name of what failed first
};

Checked CheckToy(const std::string& how, const CheckOptions& options,
                 absl::Duration timeout = absl::Seconds(60)) {
  ChildLimits limits;
  limits.timeout = timeout;
  limits.stop = options.stop;
  auto planner = ProgramPlanner::Create(
      {STOWAGE_TOY_PLANNER, how, "{in}", "{out}"}, limits);
  EXPECT_THAT(planner, IsOk());
  const auto report = CheckProgram(&*planner, options);
  EXPECT_THAT(report, IsOk());
  if (!report.ok()) return {};
  return {*report, report->failure
                       ? report->verdicts[report->failure->verdict].name
                       : ""};
}

// Every run is a process.
CheckOptions Few(PlanKind kind = PlanKind::kOffsets) {
  CheckOptions options;
  options.kind = kind;
  options.families = {Family::kBranches, Family::kOnePerTask,
                      Family::kZeroSizes, Family::kEdgeSizes,
                      Family::kOverflowingSizes};
  options.traces = 10;
  options.max_records = 6;
  options.max_shrinks = 40;
  return options;
}

TEST(CheckProgram, PassesSoundPlanners) {
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    const auto [report, failed] =
        CheckToy(std::string(PlanKindName(kind)), Few(kind));
    EXPECT_EQ(failed, "") << report.failure->status;
    EXPECT_EQ(report.traces, 10);
    EXPECT_GT(report.runs, report.traces);
    EXPECT_FALSE(report.is_stopped);
    for (const PropertyVerdict& verdict : report.verdicts) {
      // It may refuse what is too large, and there is nothing to judge then.
      EXPECT_GE(verdict.traces, 7) << verdict.name;
      EXPECT_NE(verdict.sentence, "") << verdict.name;
    }
  }
}

TEST(CheckProgram, ShrinksToTheSmallestTrace) {
  CheckOptions options = Few();
  options.families = {Family::kTouchingIntervals};
  options.traces = 3;
  options.max_shrinks = 200;
  const auto [report, failed] = CheckToy("unread", options);
  // Other properties fail before it, but say less.
  ASSERT_EQ(failed, "safety");
  const CheckFailure& failure = *report.failure;
  ASSERT_EQ(failure.smallest.records.size(), 2U);
  EXPECT_EQ(failure.smallest.records[0].tensor_size, 1U);
  EXPECT_EQ(failure.smallest.records[1].tensor_size, 1U);
  EXPECT_THAT(std::string(failure.status.message()),
              HasSubstr("both hold bytes [0, 1) at task 0"));
  EXPECT_EQ(report.traces, 3U);
}

TEST(CheckProgram, IsTheSameEveryTime) {
  CheckOptions options = Few();
  options.traces = 5;
  const CheckReport first = CheckToy("unread", options).report;
  const CheckReport second = CheckToy("unread", options).report;
  ASSERT_TRUE(first.failure && second.failure);
  EXPECT_EQ(first.failure->status, second.failure->status);
  EXPECT_EQ(first.failure->trace, second.failure->trace);
  EXPECT_EQ(first.runs, second.runs);
}

TEST(CheckProgram, ShrinksAsOftenAsItMay) {
  CheckOptions options = Few();
  options.traces = 5;
  options.max_shrinks = 0;
  const CheckReport report = CheckToy("unread", options).report;
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->smallest.records.size(),
            report.failure->found.records.size());
}

TEST(CheckProgram, ReportsWhatTheProgramWasAsked) {
  CheckOptions options = Few();
  options.families = {Family::kChains};
  const auto [report, failed] = CheckToy("in_order", options);
  ASSERT_EQ(failed, "order_independence");
  const auto& smallest = report.failure->smallest.records;
  const auto& asked = report.failure->asked.records;
  EXPECT_TRUE(std::is_sorted(smallest.begin(), smallest.end()));
  EXPECT_FALSE(std::is_sorted(asked.begin(), asked.end()));
  EXPECT_EQ(asked.size(), smallest.size());
}

TEST(CheckProgram, TriesLargeTraces) {
  CheckOptions options = Few();
  options.families = {Family::kIdenticalIntervals};
  options.traces = 16;
  EXPECT_EQ(CheckToy("up_to_64", options).failed, "safety");
  options.large_records = 0;
  EXPECT_EQ(CheckToy("up_to_64", options).failed, "");
}

TEST(CheckProgram, DoesNotPassWhoPlansNothing) {
  const auto [report, failed] = CheckToy("unsupported", Few());
  EXPECT_EQ(failed, "completeness");
  EXPECT_EQ(report.failure->status.message(),
            "the program has planned none of 10 traces: the program exited "
            "with code 77");
  EXPECT_FALSE(report.failure->asked.records.empty());
}

TEST(CheckProgram, KeepsToFamilies) {
  CheckOptions options = Few();
  options.families = {Family::kChains};
  options.traces = 2;
  EXPECT_EQ(CheckToy("unread", options).failed, "");
}

TEST(CheckProgram, GivesUpOnWhoCrashes) {
  const auto [report, failed] = CheckToy("crash_on_no_bytes", Few());
  EXPECT_EQ(failed, "ends");
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.traces, report.failure->trace + 1);
  ASSERT_EQ(report.failure->smallest.records.size(), 1U);
  EXPECT_EQ(report.failure->smallest.records[0].tensor_size, 0U);
  EXPECT_THAT(std::string(report.failure->status.message()),
              HasSubstr("signal 6"));
}

TEST(CheckProgram, GivesUpOnWhoHangs) {
  CheckOptions options = Few();
  options.shrink_time = absl::Milliseconds(500);
  const auto [report, failed] =
      CheckToy("hang", options, absl::Milliseconds(100));
  EXPECT_EQ(failed, "ends");
  EXPECT_EQ(report.traces, 1U);
  EXPECT_LT(report.runs, 20U);
}

TEST(CheckProgram, JudgesNothingWithoutPlans) {
  CheckOptions options = Few();
  options.traces = 2;
  options.max_shrinks = 1;
  for (const PropertyVerdict& verdict :
       CheckToy("refuse", options).report.verdicts) {
    EXPECT_EQ(verdict.traces, verdict.name == "ends" ? 2U : 0U) << verdict.name;
  }
}

TEST(CheckProgram, DoesNotTakeSilenceForAPlan) {
  CheckOptions options = Few();
  options.traces = 1;
  options.max_shrinks = 1;
  for (const char* how : {"nothing", "garbage", "refuse", "other_trace"}) {
    EXPECT_EQ(CheckToy(how, options).failed, "completeness") << how;
  }
}

TEST(CheckProgram, StopsWhenTold) {
  std::atomic<bool> stop{false};
  CheckOptions options = Few();
  options.stop = &stop;
  options.begin = [&](size_t trace) { stop = trace == 3; };
  const auto [report, failed] = CheckToy("offsets", options);
  EXPECT_EQ(failed, "");
  EXPECT_TRUE(report.is_stopped);
  EXPECT_EQ(report.traces, 4U);
}

TEST(CheckProgram, KeepsWhatItFoundWhenToldToStopShrinking) {
  std::atomic<bool> stop{false};
  CheckOptions options = Few();
  options.stop = &stop;
  options.begin = [&](size_t trace) { stop = trace == options.traces; };
  const auto [report, failed] = CheckToy("unread", options);
  EXPECT_NE(failed, "");
  EXPECT_TRUE(report.is_stopped);
}

TEST(CheckProgram, NamesAProgramThatIsNotThere) {
  auto planner = ProgramPlanner::Create({"/no/such", "{in}", "{out}"}, {});
  ASSERT_THAT(planner, IsOk());
  EXPECT_THAT(CheckProgram(&*planner, Few()),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace stowage::program
