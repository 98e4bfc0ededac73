// SPDX-License-Identifier: Apache-2.0
// Tests that a planner that is started once, as a server, gets the same checks
// as a planner that is started for each run. Also tests that shrinking keeps
// only traces that fail in the same way as the original trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using ::testing::HasSubstr;

PlannerCheckOptions ServeOptions() {
  PlannerCheckOptions options;
  options.families = {Family::kBranches, Family::kZeroSizes,
                      Family::kEdgeSizes};
  options.traces = 9;
  options.max_records = 6;
  options.max_shrinks = 60;
  options.run_time_limit = absl::Seconds(60);
  return options;
}

absl::StatusOr<PlannerCheckReport> Check(const std::string& command,
                                         const PlannerCheckOptions& options) {
  const auto check = PlannerCheck::Create(command, options);
  if (!check.ok()) return check.status();
  return (*check)->CheckGeneratedTraces();
}

std::string FileOf(const ProblemSpec& spec) {
  return FormatProblemCsv(ToFile(spec)).value_or("");
}

class ServedToyTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ServedToyTest, FailsAsOneOfAProcessForEachRun) {
  PlannerCheckOptions options = ServeOptions();
  const std::string toy =
      absl::StrCat("'", STOWAGE_TOY_PLANNER, "' ", GetParam());
  if (std::string(GetParam()) == "hang") {
    // The planner that hangs must be able to start within the limit.
    options.run_time_limit =
        absl::Milliseconds(support::kIsSanitized ? 2000 : 500);
    options.max_shrinks = 2;
  }
  const auto plain = Check(absl::StrCat(toy, " {in} {out}"), options);
  options.serve = true;
  for (const size_t jobs : {size_t{1}, size_t{3}}) {
    options.jobs = jobs;
    const auto served = Check(toy, options);
    ASSERT_THAT(plain, support::IsOk());
    ASSERT_THAT(served, support::IsOk());
    EXPECT_EQ(served->traces, plain->traces);
    EXPECT_EQ(served->runs, plain->runs);
    ASSERT_EQ(served->failure.has_value(), plain->failure.has_value());
    if (!plain->failure) continue;
    EXPECT_EQ(served->failure->property, plain->failure->property);
    EXPECT_EQ(served->failure->trace, plain->failure->trace);
    EXPECT_EQ(FileOf(served->failure->smallest),
              FileOf(plain->failure->smallest));
    EXPECT_EQ(FileOf(served->failure->asked), FileOf(plain->failure->asked));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ServedToyTest,
    ::testing::Values("offsets", "two_columns", "unread", "in_order",
                      "unsupported", "crash", "crash_on_no_bytes",
                      "crash_in_shell", "hang", "refuse", "nothing",
                      "nothing_for_no_bytes", "garbage", "other_trace",
                      "folder", "link", "pipe", "no_column"),
    [](const auto& test) { return std::string(test.param); });

TEST(ServedPlanner, PrintingIsNoAnswer) {
  PlannerCheckOptions options = ServeOptions();
  options.serve = true;
  options.max_shrinks = 1;
  const auto report =
      Check(absl::StrCat("'", STOWAGE_TOY_PLANNER, "' talk"), options);
  ASSERT_THAT(report, support::IsOk());
  ASSERT_TRUE(report->failure.has_value());
  EXPECT_EQ(report->properties[report->failure->property].name, "ends");
  EXPECT_THAT(std::string(report->failure->status.message()),
              HasSubstr("broke the line protocol"));
}

struct NoServerCase {
  const char* name;
  const char* command;
  absl::StatusCode code;
  const char* message;
};

class NoServerTest : public ::testing::TestWithParam<NoServerCase> {};

TEST_P(NoServerTest, IsAnError) {
  PlannerCheckOptions options = ServeOptions();
  options.serve = true;
  EXPECT_THAT(
      Check(GetParam().command, options),
      support::FailsWith(GetParam().code, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, NoServerTest,
    ::testing::Values(
        NoServerCase{"NoProgram", "/no/such", absl::StatusCode::kNotFound,
                     "/no/such: cannot be started: command not found"},
        NoServerCase{"NoProgramOfAShell", "sh -c no-such-planner",
                     absl::StatusCode::kNotFound, "command not found: the "},
        NoServerCase{"Ends", "sh -c 'echo no file >&2; exit 2'",
                     absl::StatusCode::kFailedPrecondition,
                     "no server is started: the program exited with code 2 "
                     "before it was ready: no file; expected it to print"},
        NoServerCase{"TakesFiles", "planner {in}",
                     absl::StatusCode::kInvalidArgument,
                     "the command has {in}; expected none"}),
    [](const auto& test) { return std::string(test.param.name); });

// The shell itself always starts. It reports a missing command through its exit
// code.
TEST(PlannerCheckCommand, IsNotFoundByAShell) {
  for (const char* command :
       {"sh -c 'no-such-planner {in} {out}'", "env no-such-planner {in} {out}",
        "sh -c '/ {in} {out}'"}) {
    EXPECT_THAT(Check(command, ServeOptions()),
                support::FailsWith(absl::StatusCode::kNotFound,
                                   HasSubstr("command not found: the program "
                                             "exited with code 12")))
        << command;
  }
}

// A planner has not failed if it cannot find a helper program but still writes
// its plan. If a planner that has already made plans exits with the code that a
// shell uses for a missing command, it has failed on that trace.
TEST(PlannerCheckCommand, MayBeMissedByAPlanner) {
  const auto report =
      Check(absl::StrCat(
                "sh -c 'test $(wc -l < \"$1\") -lt 4 || no-such-helper; exec ",
                STOWAGE_TOY_PLANNER, " offsets \"$1\" \"$2\"; ' sh {in} {out}"),
            ServeOptions());
  ASSERT_THAT(report, support::IsOk());
  EXPECT_FALSE(report->failure.has_value());
  const auto failed =
      Check(absl::StrCat(
                "sh -c 'test $(wc -l < \"$1\") -lt 4 || exit 127; exec ",
                STOWAGE_TOY_PLANNER, " offsets \"$1\" \"$2\"; ' sh {in} {out}"),
            ServeOptions());
  ASSERT_THAT(failed, support::IsOk());
  ASSERT_TRUE(failed->failure.has_value());
  EXPECT_EQ(failed->properties[failed->failure->property].name, "ends");
}

// While the trace of an unsafe plan is shrunk, one run exceeds the timeout. A
// timeout is a different failure, so it neither changes the result of shrinking
// nor stops it.
TEST(PlannerCheckShrinks, KeepWhatStillFails) {
  for (const bool serve : {false, true}) {
    PlannerCheckOptions options;
    options.families = {Family::kFarTasks, Family::kLongLived};
    options.traces = 30;
    options.max_alignment = 1;
    options.large_records = 0;
    options.max_shrinks = 300;
    options.run_time_limit = absl::Seconds(3);
    options.serve = serve;
    const auto report =
        Check(absl::StrCat("'", STOWAGE_TOY_PLANNER, "' late_and_slow_once",
                           serve ? "" : " {in} {out}"),
              options);
    ASSERT_THAT(report, support::IsOk());
    ASSERT_TRUE(report->failure.has_value());
    const PlannerFailure& failure = *report->failure;
    if (report->properties[failure.property].name == "ends") {
      continue;  // an earlier run was too slow on a busy machine
    }
    ASSERT_EQ(failure.asked.records.size(), 2U);
    size_t last = 0;
    for (const ByteRecord& record : failure.asked.records) {
      EXPECT_EQ(record.tensor_size, 1U);
      last = std::max<size_t>(last, record.last_task);
    }
    EXPECT_EQ(last, 20U);
    EXPECT_EQ(failure.shrink_end, ShrinkEnd::kSmallest);
  }
}

TEST(PlannerCheckShrinks, SayWhetherTheyAreDone) {
  PlannerCheckOptions options = ServeOptions();
  options.serve = true;
  options.traces = 50;
  const std::string toy = absl::StrCat("'", STOWAGE_TOY_PLANNER, "' unread");
  for (const auto& [attempts, time, end] :
       {std::make_tuple(size_t{0}, absl::Seconds(60), ShrinkEnd::kNotShrunk),
        std::make_tuple(size_t{1}, absl::Seconds(60), ShrinkEnd::kAttempts),
        std::make_tuple(size_t{1000}, absl::Seconds(60),
                        ShrinkEnd::kSmallest)}) {
    options.max_shrinks = attempts;
    options.run_time_limit = time;
    const auto report = Check(toy, options);
    ASSERT_TRUE(report.ok() && report->failure);
    EXPECT_EQ(report->failure->shrink_end, end) << attempts;
  }
}

// Checks both forms of the example in docs/test-your-planner.md.
TEST(PlannerExample, IsRight) {
  if (std::system("python3 -c '' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no python3";
  }
  const std::string command = absl::StrCat("python3 '", STOWAGE_SOURCE_DIR,
                                           "/docs/planner_example/planner.py'");
  PlannerCheckOptions options;
  options.traces = 2 * AllFamilies().size();
  options.run_time_limit = absl::Seconds(60);
  options.serve = true;
  const auto served = Check(command, options);
  ASSERT_THAT(served, support::IsOk());
  EXPECT_FALSE(served->failure.has_value()) << served->failure->status;
  EXPECT_GT(served->properties[4].traces, 50U);
  options.serve = false;
  options.traces = 2;
  const auto plain = Check(absl::StrCat(command, " {in} {out}"), options);
  ASSERT_THAT(plain, support::IsOk());
  EXPECT_FALSE(plain->failure.has_value()) << plain->failure->status;
}

}  // namespace
}  // namespace stowage::testing
