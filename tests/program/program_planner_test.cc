#include "src/program/program_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "stowage/profile.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ByteRecord>& Records() {
  static const auto* const records =
      new std::vector<ByteRecord>{{6, 0, 2}, {4, 0, 0}, {0, 1, 3}};
  return *records;
}

ProgramPlanner Toy(const std::string& how,
                   absl::Duration timeout = absl::Seconds(60)) {
  ChildLimits limits;
  limits.timeout = timeout;
  auto planner = ProgramPlanner::Create(
      {STOWAGE_TOY_PLANNER, how, "{in}", "{out}"}, limits);
  EXPECT_THAT(planner, IsOk());
  return *std::move(planner);
}

TEST(ProgramPlanner, PlansOffsets) {
  ProgramPlanner toy = Toy("offsets");
  const std::vector<size_t> alignments = {1, 8, 4};
  const auto plan = toy.PlanOffsets(Records(), absl::MakeConstSpan(alignments));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre(0, 8, 12));
  EXPECT_EQ(plan->total_size, 12);
  EXPECT_EQ(toy.runs(), 1);
  EXPECT_FALSE(toy.misdeed().has_value());
  EXPECT_THAT(toy.error(), IsOk());
}

TEST(ProgramPlanner, PlansObjects) {
  const auto plan = Toy("objects").PlanObjects(Records());
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->object_ids, ElementsAre(0, 1, 2));
  EXPECT_THAT(plan->object_sizes, ElementsAre(6, 4, 0));
}

TEST(ProgramPlanner, PlansNothing) {
  const auto plan = Toy("offsets").PlanOffsets({}, 1);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets, ElementsAre());
}

TEST(ProgramPlanner, WantsBothPlaces) {
  EXPECT_THAT(ProgramPlanner::Create({"plan", "{out}"}, {}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("the command has no {in}")));
  EXPECT_THAT(ProgramPlanner::Create({"plan", "{in}"}, {}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("the command has no {out}")));
}

struct BadCase {
  const char* how;
  absl::StatusCode code;
  std::string message;
  bool is_misdeed;
};

class BadProgramTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadProgramTest, IsAnError) {
  const auto timeout = std::string(GetParam().how) == "hang"
                           ? absl::Milliseconds(100)
                           : absl::Seconds(60);
  ProgramPlanner toy = Toy(GetParam().how, timeout);
  for (size_t run = 1; run < 3; ++run) {
    EXPECT_THAT(toy.PlanOffsets(Records(), 1),
                FailsWith(GetParam().code, HasSubstr(GetParam().message)));
    EXPECT_EQ(toy.runs(), run);
  }
  EXPECT_THAT(toy.error(), IsOk());
  ASSERT_EQ(toy.misdeed().has_value(), GetParam().is_misdeed);
  if (!GetParam().is_misdeed) return;
  EXPECT_EQ(toy.misdeed()->asked.records.size(), Records().size());
  EXPECT_EQ(toy.asked().records.size(), Records().size());
  toy.Forget();
  EXPECT_FALSE(toy.misdeed().has_value());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadProgramTest,
    ::testing::Values(
        BadCase{"crash", absl::StatusCode::kAborted, "was ended by signal 6",
                true},
        BadCase{"hang", absl::StatusCode::kAborted, "still ran after 100ms",
                true},
        BadCase{"talk", absl::StatusCode::kAborted,
                "printed more than 1048576 bytes", true},
        BadCase{"refuse", absl::StatusCode::kFailedPrecondition,
                "the program exited with code 3: I have a headache", false},
        BadCase{"nothing", absl::StatusCode::kDataLoss, "it wrote no {out}",
                false},
        BadCase{"garbage", absl::StatusCode::kDataLoss, "{out}:1: ", false},
        BadCase{"folder", absl::StatusCode::kDataLoss,
                "{out} is no regular file", false},
        BadCase{"pipe", absl::StatusCode::kDataLoss, "{out} is no regular file",
                false},
        BadCase{"unsupported", absl::StatusCode::kUnimplemented,
                "the program exited with code 77", false},
        BadCase{"crash_in_shell", absl::StatusCode::kAborted,
                "the program exited with code 139, as for signal 11 (", true},
        BadCase{"link", absl::StatusCode::kDataLoss, "{out} is no regular file",
                false},
        BadCase{"other_trace", absl::StatusCode::kDataLoss,
                "{out}: no row for id 't0' of {in}", false},
        BadCase{"no_column", absl::StatusCode::kDataLoss,
                "no column \"offset\"", false}),
    [](const auto& test) { return std::string(test.param.how); });

TEST(ProgramPlanner, CannotWriteEveryTrace) {
  ProgramPlanner toy = Toy("offsets");
  const std::vector<ByteRecord> endless = {
      {1, 0, std::numeric_limits<TaskId>::max()}};
  EXPECT_THAT(toy.PlanOffsets(endless, 1),
              FailsWith(absl::StatusCode::kUnimplemented, ::testing::_));
  EXPECT_EQ(toy.runs(), 0);
}

TEST(ProgramPlanner, IsNotStartedOnceItIsStopped) {
  std::atomic<bool> stop{true};
  ChildLimits limits;
  limits.stop = &stop;
  auto planner = ProgramPlanner::Create(
      {STOWAGE_TOY_PLANNER, "offsets", "{in}", "{out}"}, limits);
  ASSERT_THAT(planner, IsOk());
  EXPECT_THAT(planner->PlanOffsets(Records(), 1),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
  EXPECT_EQ(planner->runs(), 0);
}

TEST(ProgramPlanner, IsKilledWhenItIsAbandoned) {
  ProgramPlanner toy = Toy("hang");
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(100));
    toy.Abandon();
  });
  EXPECT_THAT(toy.PlanOffsets(Records(), 1),
              FailsWith(absl::StatusCode::kAborted, HasSubstr("signal 9")));
  thread.join();
  EXPECT_THAT(toy.PlanOffsets(Records(), 1),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
}

TEST(ProgramPlanner, RemembersThatItCannotBeRun) {
  auto planner = ProgramPlanner::Create({"/no/such", "{in}", "{out}"}, {});
  ASSERT_THAT(planner, IsOk());
  EXPECT_THAT(planner->PlanOffsets(Records(), 1),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
  EXPECT_THAT(planner->error(),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace stowage::program
