// SPDX-License-Identifier: Apache-2.0
#include "src/testing/program_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "stowage/problem.h"
#include "stowage/testing/specs.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using stowage::testing::SpecOf;
using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ByteRecord>& Records() {
  static const auto* const records =
      new std::vector<ByteRecord>{{6, 0, 2}, {4, 0, 0}, {0, 1, 3}};
  return *records;
}

std::unique_ptr<ProgramPlanner> Toy(
    const std::string& mode, absl::Duration timeout = absl::Seconds(60)) {
  ChildLimits limits;
  limits.timeout = timeout;
  auto planner = ProgramPlanner::Create(
      {STOWAGE_TOY_PLANNER, mode, "{in}", "{out}"}, limits);
  EXPECT_THAT(planner, IsOk());
  return planner.ok() ? *std::move(planner) : nullptr;
}

TEST(ProgramPlanner, PlansOffsets) {
  const auto toy = Toy("offsets");
  const std::vector<size_t> alignments = {1, 8, 4};
  const auto plan = toy->PlanOffsets(SpecOf(Records(), Alignments(alignments)));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre(0, 8, 12));
  EXPECT_EQ(plan->total_size, 12);
  EXPECT_EQ(toy->run_count(), 1);
  EXPECT_FALSE(toy->fault().has_value());
  EXPECT_THAT(toy->error(), IsOk());
}

TEST(ProgramPlanner, PlansObjects) {
  const auto plan = Toy("objects")->PlanObjects(SpecOf(Records()));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->object_ids, ElementsAre(0, 1, 2));
  EXPECT_THAT(plan->object_sizes, ElementsAre(6, 4, 0));
}

TEST(ProgramPlanner, PlansNothing) {
  const auto plan = Toy("offsets")->PlanOffsets(ProblemSpec());
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre());
}

TEST(ProgramPlanner, RequiresBothPlaces) {
  EXPECT_THAT(ProgramPlanner::Create({"plan", "{out}"}, {}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("the command has no {in}")));
  EXPECT_THAT(ProgramPlanner::Create({"plan", "{in}"}, {}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("the command has no {out}")));
}

struct BadCase {
  const char* mode;
  absl::StatusCode code;
  std::string message;
  bool is_fault;
};

class BadProgramTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadProgramTest, IsAnError) {
  const auto timeout = std::string(GetParam().mode) == "hang"
                           ? absl::Milliseconds(100)
                           : absl::Seconds(60);
  const auto toy = Toy(GetParam().mode, timeout);
  for (size_t run = 1; run < 3; ++run) {
    EXPECT_THAT(toy->PlanOffsets(SpecOf(Records())),
                FailsWith(GetParam().code, HasSubstr(GetParam().message)));
    EXPECT_EQ(toy->run_count(), run);
  }
  EXPECT_THAT(toy->error(), IsOk());
  ASSERT_EQ(toy->fault().has_value(), GetParam().is_fault);
  if (!GetParam().is_fault) return;
  EXPECT_EQ(toy->fault()->spec.records.size(), Records().size());
  EXPECT_EQ(toy->last_spec().records.size(), Records().size());
  toy->ClearFault();
  EXPECT_FALSE(toy->fault().has_value());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadProgramTest,
    ::testing::Values(
        BadCase{"crash", absl::StatusCode::kAborted, "was ended by signal 6",
                true},
        BadCase{"hang", absl::StatusCode::kAborted,
                "was still running after 100ms", true},
        BadCase{"talk", absl::StatusCode::kAborted,
                "printed more than 1048576 bytes", true},
        BadCase{"refuse", absl::StatusCode::kFailedPrecondition,
                "the program exited with code 3: I have a headache", false},
        BadCase{"nothing", absl::StatusCode::kDataLoss, "it wrote no {out}",
                true},
        BadCase{"garbage", absl::StatusCode::kDataLoss, "{out}:1: ", true},
        BadCase{"folder", absl::StatusCode::kDataLoss,
                "{out} is not a regular file", true},
        BadCase{"pipe", absl::StatusCode::kDataLoss,
                "{out} is not a regular file", true},
        BadCase{"unsupported", absl::StatusCode::kUnimplemented,
                "the program exited with code 77", false},
        BadCase{"crash_in_shell", absl::StatusCode::kAborted,
                "the program exited with code 139, as for signal 11 (", true},
        BadCase{"link", absl::StatusCode::kDataLoss,
                "{out} is not a regular file", true},
        BadCase{"other_trace", absl::StatusCode::kDataLoss,
                "{out}: no row for id \"t0\"", false},
        BadCase{"no_column", absl::StatusCode::kDataLoss,
                "no column \"offset\"", true}),
    [](const auto& test) { return std::string(test.param.mode); });

TEST(ProgramPlanner, RefusesATraceThatNoFileHolds) {
  const auto toy = Toy("offsets");
  const std::vector<ByteRecord> endless = {
      {1, 0, std::numeric_limits<TaskId>::max()}};
  EXPECT_THAT(toy->PlanOffsets(SpecOf(endless)),
              FailsWith(absl::StatusCode::kUnimplemented, ::testing::_));
  EXPECT_EQ(toy->run_count(), 0);
}

TEST(ProgramPlanner, IsNotStartedOnceItIsCancelled) {
  ChildLimits limits;
  limits.is_cancelled = [] { return true; };
  auto planner = ProgramPlanner::Create(
      {STOWAGE_TOY_PLANNER, "offsets", "{in}", "{out}"}, limits);
  ASSERT_THAT(planner, IsOk());
  EXPECT_THAT((*planner)->PlanOffsets(SpecOf(Records())),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
  EXPECT_EQ((*planner)->run_count(), 0);
}

TEST(ProgramPlanner, IsKilledWhenItIsAborted) {
  const auto toy = Toy("hang");
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(100));
    toy->Abort();
  });
  EXPECT_THAT(toy->PlanOffsets(SpecOf(Records())),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("signal 9")));
  thread.join();
  EXPECT_THAT(toy->PlanOffsets(SpecOf(Records())),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
}

TEST(ProgramPlanner, KeepsTheErrorOfAProgramThatCannotBeStarted) {
  auto planner = ProgramPlanner::Create({"/no/such", "{in}", "{out}"}, {});
  ASSERT_THAT(planner, IsOk());
  EXPECT_THAT((*planner)->PlanOffsets(SpecOf(Records())),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
  EXPECT_THAT((*planner)->error(),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace stowage::program
