// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/check_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using End = PlannerCheckReport::End;

struct Checked {
  PlannerCheckReport report;
  std::string failed;  // the name of the first property that failed
};

std::string ToyCommand(const std::string& mode) {
  return absl::StrCat("'", STOWAGE_TOY_PLANNER, "' ", mode, " {in} {out}");
}

Checked CheckedOf(const absl::StatusOr<PlannerCheckReport>& report) {
  EXPECT_THAT(report, support::IsOk());
  if (!report.ok()) return {};
  return {*report, report->failure
                       ? report->properties[report->failure->property].name
                       : ""};
}

Checked CheckToy(const std::string& mode, const PlannerCheckOptions& options) {
  const auto check = PlannerCheck::Create(ToyCommand(mode), options);
  EXPECT_THAT(check, support::IsOk());
  if (!check.ok()) return {};
  return CheckedOf((*check)->CheckGeneratedTraces());
}

// Returns options with few traces, because every run starts a process.
PlannerCheckOptions Few(PlanKind kind = PlanKind::kOffsets) {
  PlannerCheckOptions options;
  options.kind = kind;
  options.families = {Family::kBranches, Family::kOnePerTask,
                      Family::kZeroSizes, Family::kEdgeSizes,
                      Family::kOverflowingSizes};
  options.traces = 10;
  options.max_records = 6;
  options.max_shrinks = 40;
  options.run_time_limit = absl::Seconds(60);
  return options;
}

PlannerCheckOptions FewToTheEnd() {
  PlannerCheckOptions options = Few();
  options.keep_going = true;
  return options;
}

TEST(PlannerCheck, PassesSafePlanners) {
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    const auto [report, failed] =
        CheckToy(std::string(PlanKindName(kind)), Few(kind));
    EXPECT_EQ(failed, "") << report.failure->status;
    EXPECT_EQ(report.traces, 10);
    EXPECT_GT(report.runs, report.traces);
    EXPECT_EQ(report.end, End::kComplete);
    for (const PropertyResult& property : report.properties) {
      // Not every trace counts, because the planner may refuse a large trace,
      // which leaves no plan to check.
      EXPECT_GE(property.traces, 7) << property.name;
      EXPECT_NE(property.sentence, "") << property.name;
    }
  }
}

TEST(PlannerCheck, ShrinksToTheSmallestTrace) {
  PlannerCheckOptions options = FewToTheEnd();
  options.families = {Family::kTouchingIntervals};
  options.traces = 3;
  options.max_shrinks = 200;
  const auto [report, failed] = CheckToy("unread", options);
  // Some other properties fail on earlier traces, but the report shows the
  // failure of safety, which is more informative.
  ASSERT_EQ(failed, "safety");
  const PlannerFailure& failure = *report.failure;
  ASSERT_EQ(failure.smallest.records.size(), 2U);
  EXPECT_EQ(failure.smallest.records[0].tensor_size, 1U);
  EXPECT_EQ(failure.smallest.records[1].tensor_size, 1U);
  EXPECT_THAT(std::string(failure.status.message()),
              HasSubstr("both hold bytes [0, 1) at task 0"));
  EXPECT_EQ(report.traces, 3U);
  EXPECT_EQ(report.end, End::kComplete);
}

TEST(PlannerCheck, EndsWithTheFirstFailure) {
  PlannerCheckOptions options = Few();
  options.traces = 50;
  const auto [report, failed] = CheckToy("unread", options);
  ASSERT_NE(failed, "");
  EXPECT_EQ(report.end, End::kFailure);
  EXPECT_EQ(report.traces, report.failure->trace + 1);
  EXPECT_LT(report.traces, 50U);
  for (size_t p = report.failure->property + 1; p < report.properties.size();
       ++p) {
    EXPECT_TRUE(report.properties[p].status.ok()) << p;
  }
}

// The report is the same every time, and does not depend on the number of
// concurrent runs.
TEST(PlannerCheck, IsDeterministic) {
  for (const bool keep_going : {false, true}) {
    PlannerCheckOptions options = Few();
    options.keep_going = keep_going;
    const PlannerCheckReport first = CheckToy("unread", options).report;
    ASSERT_TRUE(first.failure);
    for (const size_t jobs : std::initializer_list<size_t>{1, 4}) {
      options.jobs = jobs;
      const PlannerCheckReport again = CheckToy("unread", options).report;
      ASSERT_TRUE(again.failure);
      EXPECT_EQ(again.failure->status, first.failure->status);
      EXPECT_EQ(again.failure->trace, first.failure->trace);
      EXPECT_EQ(again.failure->property, first.failure->property);
      EXPECT_EQ(again.traces, first.traces);
      EXPECT_EQ(again.runs, first.runs);
      for (size_t p = 0; p < first.properties.size(); ++p) {
        EXPECT_EQ(again.properties[p].traces, first.properties[p].traces) << p;
        EXPECT_EQ(again.properties[p].status, first.properties[p].status) << p;
      }
    }
  }
}

TEST(PlannerCheck, RunsSideBySide) {
  PlannerCheckOptions options = Few();
  options.traces = 8;
  options.jobs = 8;
  options.run_time_limit = absl::Milliseconds(300);
  options.max_shrinks = 1;
  // If the runs were not concurrent, this would take 16 times as long. The
  // failure of the first run stops the check.
  const auto start = std::chrono::steady_clock::now();
  const auto [report, failed] = CheckToy("hang", options);
  EXPECT_EQ(failed, "ends");
  EXPECT_EQ(report.traces, 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(PlannerCheck, ShrinksNotWithoutAttempts) {
  PlannerCheckOptions options = Few();
  options.max_shrinks = 0;
  const PlannerCheckReport report = CheckToy("unread", options).report;
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->smallest.records.size(),
            report.failure->found.records.size());
}

TEST(PlannerCheck, ReportsWhatTheProgramWasAsked) {
  PlannerCheckOptions options = Few();
  options.families = {Family::kChains};
  const auto [report, failed] = CheckToy("in_order", options);
  ASSERT_EQ(failed, "order_independence");
  const auto& smallest = report.failure->smallest.records;
  const auto& asked = report.failure->asked.records;
  EXPECT_TRUE(std::is_sorted(smallest.begin(), smallest.end(), BeginsBefore()));
  EXPECT_FALSE(std::is_sorted(asked.begin(), asked.end(), BeginsBefore()));
  EXPECT_EQ(asked.size(), smallest.size());
}

// A trace that fails as one of many also fails if it is checked by itself.
TEST(PlannerCheck, ReplaysATrace) {
  PlannerCheckOptions options = Few();
  options.families = {Family::kChains};
  const auto check = PlannerCheck::Create(ToyCommand("in_order"), options);
  ASSERT_THAT(check, support::IsOk());
  const auto found = (*check)->CheckGeneratedTraces();
  ASSERT_TRUE(found.ok() && found->failure);
  const auto [replayed, failed] =
      CheckedOf((*check)->CheckTrace(found->failure->asked));
  EXPECT_EQ(failed, "safety");
  EXPECT_EQ(replayed.traces, 1U);
  EXPECT_EQ(replayed.failure->asked.records.size(),
            found->failure->asked.records.size());
  const auto [passed, none] =
      CheckedOf((*check)->CheckTrace(found->failure->smallest));
  EXPECT_EQ(none, "order_independence");
  ProblemSpec sorted = found->failure->smallest;
  sorted.records.resize(1);
  EXPECT_EQ(CheckedOf((*check)->CheckTrace(sorted)).failed, "");
}

TEST(PlannerCheck, RefusesAnInvalidTrace) {
  const auto check = PlannerCheck::Create(ToyCommand("offsets"), Few());
  ASSERT_THAT(check, support::IsOk());
  ProblemSpec reversed;
  reversed.records = {{4, 3, 2}};
  EXPECT_THAT(
      (*check)->CheckTrace(reversed),
      support::FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr("0")));
}

TEST(PlannerCheck, TriesLargeTraces) {
  PlannerCheckOptions options = Few();
  options.families = {Family::kIdenticalIntervals};
  options.traces = 17;
  EXPECT_EQ(CheckToy("up_to_64", options).failed, "safety");
  options.large_records = 0;
  EXPECT_EQ(CheckToy("up_to_64", options).failed, "");
}

TEST(PlannerCheck, FailsAPlannerThatPlansNothing) {
  const auto [report, failed] = CheckToy("unsupported", Few());
  EXPECT_EQ(failed, "completeness");
  EXPECT_EQ(report.failure->status.message(),
            "the program has planned none of the traces: the program exited "
            "with code 77");
  EXPECT_EQ(report.failure->asked.records.size(), 1U);
}

TEST(PlannerCheck, KeepsToFamilies) {
  PlannerCheckOptions options = Few();
  options.families = {Family::kChains};
  options.traces = 2;
  EXPECT_EQ(CheckToy("unread", options).failed, "");
}

TEST(PlannerCheck, EndsWithACrash) {
  for (const bool keep_going : {false, true}) {
    PlannerCheckOptions options = Few();
    options.keep_going = keep_going;
    const auto [report, failed] = CheckToy("crash_on_no_bytes", options);
    EXPECT_EQ(failed, "ends");
    ASSERT_TRUE(report.failure.has_value());
    EXPECT_EQ(report.traces, report.failure->trace + 1);
    ASSERT_EQ(report.failure->smallest.records.size(), 1U);
    EXPECT_EQ(report.failure->smallest.records[0].tensor_size, 0U);
    EXPECT_THAT(std::string(report.failure->status.message()),
                HasSubstr("signal 6"));
  }
}

TEST(PlannerCheck, EndsWithATimeout) {
  PlannerCheckOptions options = Few();
  options.run_time_limit = absl::Milliseconds(50);
  const auto [report, failed] = CheckToy("hang", options);
  EXPECT_EQ(failed, "ends");
  EXPECT_EQ(report.traces, 1U);
  EXPECT_LT(report.runs, 20U);
}

TEST(PlannerCheck, TellsAnUnreadablePlanAfterTheFirstRun) {
  for (const char* mode :
       {"nothing", "garbage", "folder", "no_column", "garbage_number"}) {
    for (const bool keep_going : {false, true}) {
      PlannerCheckOptions options = Few();
      options.keep_going = keep_going;
      const auto [report, failed] = CheckToy(mode, options);
      EXPECT_EQ(failed, "output") << mode;
      EXPECT_EQ(report.runs, 1U) << mode;
      ASSERT_TRUE(report.failure.has_value());
      EXPECT_THAT(std::string(report.failure->status.message()),
                  StartsWith("the program gave no plan: "));
    }
  }
}

// If a planner that has written plans for other traces writes no plan for a
// trace, this is a failure, and the trace is shrunk.
TEST(PlannerCheck, ShrinksWhereOutputIsUnreadable) {
  const auto [report, failed] = CheckToy("nothing_for_no_bytes", Few());
  EXPECT_EQ(failed, "output");
  ASSERT_EQ(report.failure->smallest.records.size(), 1U);
  EXPECT_EQ(report.failure->smallest.records[0].tensor_size, 0U);
}

TEST(PlannerCheck, AcceptsIdAndOffsetAlone) {
  EXPECT_EQ(CheckToy("two_columns", Few()).failed, "");
}

// The planner computes offsets in double precision. A double cannot represent
// every offset above 2^53, so some plans are unsafe.
TEST(PlannerCheck, CatchesOffsetsKeptInDouble) {
  PlannerCheckOptions options;
  options.traces = 2 * AllFamilies().size();
  options.jobs = 2;
  EXPECT_EQ(CheckToy("doubles", options).failed, "safety");
}

TEST(PlannerCheck, ChecksNothingWithoutPlans) {
  PlannerCheckOptions options = FewToTheEnd();
  options.traces = 2;
  options.max_shrinks = 1;
  for (const PropertyResult& property :
       CheckToy("refuse", options).report.properties) {
    const bool is_implicit =
        property.name == "ends" || property.name == "output";
    EXPECT_EQ(property.traces, is_implicit ? 2U : 0U) << property.name;
  }
}

TEST(PlannerCheck, FailsCompletenessWhereThereIsNoPlanForTheTrace) {
  PlannerCheckOptions options = Few();
  options.traces = 1;
  options.max_shrinks = 1;
  for (const char* mode : {"refuse", "other_trace"}) {
    EXPECT_EQ(CheckToy(mode, options).failed, "completeness") << mode;
  }
}

TEST(PlannerCheck, StopsWhenCancelled) {
  for (const size_t jobs : std::initializer_list<size_t>{1, 3}) {
    std::atomic<bool> cancelled{false};
    PlannerCheckOptions options = Few();
    options.jobs = jobs;
    options.cancelled = &cancelled;
    options.on_trace = [&](size_t trace) { cancelled = trace == 3; };
    const auto [report, failed] = CheckToy("slow", options);
    EXPECT_EQ(failed, "");
    EXPECT_EQ(report.end, End::kCancelled);
    EXPECT_EQ(report.traces, 4U);
  }
}

TEST(PlannerCheck, KeepsTheFailureWhenCancelledWhileItShrinks) {
  std::atomic<bool> cancelled{false};
  PlannerCheckOptions options = Few();
  options.cancelled = &cancelled;
  options.on_trace = [&](size_t trace) { cancelled = trace == options.traces; };
  const auto [report, failed] = CheckToy("unread", options);
  EXPECT_NE(failed, "");
  EXPECT_EQ(report.end, End::kCancelled);
}

TEST(PlannerCheck, StopsAtTheTimeLimit) {
  for (const size_t jobs : std::initializer_list<size_t>{1, 3}) {
    PlannerCheckOptions options = Few();
    options.traces = 100000;
    options.jobs = jobs;
    options.time_limit = absl::Milliseconds(300);
    const auto start = std::chrono::steady_clock::now();
    const auto [report, failed] = CheckToy("slow", options);
    EXPECT_EQ(failed, "");
    EXPECT_EQ(report.end, End::kTimeLimit);
    EXPECT_LT(report.traces, 1000U);
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(20));
  }
}

TEST(PlannerCheck, NamesAProgramThatIsNotThere) {
  const auto check = PlannerCheck::Create("/no/such {in} {out}", Few());
  ASSERT_THAT(check, support::IsOk());
  EXPECT_THAT(
      (*check)->CheckGeneratedTraces(),
      support::FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

TEST(PlannerCheck, RefusesACommandWithoutPlaces) {
  EXPECT_THAT(PlannerCheck::Create("plan {out}", Few()),
              support::FailsWith(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("the command has no {in}")));
  EXPECT_THAT(PlannerCheck::Create("plan '{in} {out}", Few()),
              support::FailsWith(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("unclosed '")));
}

}  // namespace
}  // namespace stowage::testing
