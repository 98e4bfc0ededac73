// SPDX-License-Identifier: Apache-2.0
// Tests the replay of a program with known allocations, under both correct and
// wrong plans. tests/command/replay_test.cc replays recorded programs.
#include "stowage/recordings/replay.h"

#include <csignal>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kLibrary[] = STOWAGE_BINARY_DIR "/preload/libstowage_replay.so";

struct ReplayedBlock {
  size_t size = 0;
  size_t offset = 0;
};

// Maps the ids of records to the blocks of a plan.
using ReplayedBlocks = std::map<std::string, ReplayedBlock>;

// Returns a plan for the allocations of the program. The program moves block 0
// to block 2 and later to block 5, and the places of these blocks partly
// overlap. Block 3 contains bytes that block 0 has left dirty. Allocation 1 has
// no bytes.
ReplayedBlocks RightBlocks() {
  return {{"0", {100, 256}},
          {"2", {300, 16}},
          {"3", {80, 320}},
          {"4", {64, 512}},
          {"5", {48, 0}}};
}

ProblemFile PlanOf(const ReplayedBlocks& blocks) {
  ProblemFile file;
  for (const auto& [id, block] : blocks) {
    file.problem.names.push_back(id);
    file.problem.records.emplace_back(block.size, 0, 0);
    file.plan.offsets.push_back(block.offset);
  }
  return file;
}

ReplayRequest RequestFor(const std::string& mode) {
  ReplayRequest request;
  request.command = {STOWAGE_REPLAYED_PROGRAM, mode};
  request.library = kLibrary;
  return request;
}

absl::StatusOr<ReplayReport> ReplayBlocks(const ReplayedBlocks& blocks,
                                          const std::string& mode = "") {
  return Replay(PlanOf(blocks), RequestFor(mode));
}

TEST(ReplayTest, ServesEveryAllocationFromTheArena) {
  const auto report = ReplayBlocks(RightBlocks());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->divergence, "");
  EXPECT_EQ(report->exit_code, 0);
  EXPECT_EQ(report->signal, 0);
  EXPECT_EQ(report->allocations, 6U);
  EXPECT_EQ(report->bytes_asked, 592U);
  EXPECT_EQ(report->arena_bytes, 576U);
  EXPECT_EQ(report->program, STOWAGE_REPLAYED_PROGRAM);
}

TEST(ReplayTest, TheExitCodeOfTheProgramIsItsOwn) {
  const auto report = ReplayBlocks(RightBlocks(), "exits_with_5");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->divergence, "");
  EXPECT_EQ(report->exit_code, 5);
}

TEST(ReplayTest, ForkedChildrenAndWhatTheyExecuteHaveNoPlan) {
  const auto report = ReplayBlocks(RightBlocks(), "forks");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->divergence, "");
  EXPECT_EQ(report->exit_code, 0);
  EXPECT_EQ(report->allocations, 6U);
}

TEST(ReplayTest, PoisonOverwritesWhatIsFreed) {
  ReplayRequest request = RequestFor("reads_freed");
  const auto without = Replay(PlanOf(RightBlocks()), request);
  request.poisons = true;
  const auto with = Replay(PlanOf(RightBlocks()), request);
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_EQ(without->exit_code, 0);
  EXPECT_EQ(with->exit_code, 31);
  // A block loses nothing when it moves to a place that overlaps its old place.
  request.command[1] = "";
  EXPECT_EQ(Replay(PlanOf(RightBlocks()), request)->exit_code, 0);
}

TEST(ReplayTest, ItsProcessIsToldWhileItRuns) {
  std::vector<bool> runs;
  ReplayRequest request = RequestFor("");
  request.on_process = [&runs](pid_t process) { runs.push_back(process > 0); };
  ASSERT_TRUE(Replay(PlanOf(RightBlocks()), request).ok());
  EXPECT_EQ(runs, std::vector<bool>({true, false}));
}

struct DivergenceCase {
  const char* name;
  const char* mode;
  // Blocks that replace blocks of the correct plan or are added to it. A block
  // without bytes means that the block is removed.
  ReplayedBlocks changes;
  const char* divergence;
};

class ReplayDivergenceTest : public testing::TestWithParam<DivergenceCase> {};

TEST_P(ReplayDivergenceTest, IsNamed) {
  ReplayedBlocks blocks = RightBlocks();
  for (const auto& [id, block] : GetParam().changes) blocks[id] = block;
  const auto report = ReplayBlocks(blocks, GetParam().mode);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->divergence, GetParam().divergence);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ReplayDivergenceTest,
    testing::Values(
        DivergenceCase{"OtherSize",
                       "",
                       {{"3", {81, 320}}},
                       "diverges at allocation 3: it asks for 80 bytes, and "
                       "the plan has 81; expected the arguments, environment, "
                       "input and kinds of output of the recording, and a "
                       "recording without lost events"},
        DivergenceCase{"OtherImage",
                       "",
                       {{"0", {99, 256}}},
                       "diverges at allocation 0: it asks for 100 bytes, and "
                       "the plan has 99; the plan belongs to another image"},
        DivergenceCase{"BytesWhereNoneAreAsked",
                       "",
                       {{"1", {8, 1024}}},
                       "diverges at allocation 1: it asks for 0 bytes, and the "
                       "plan has 8; expected the arguments, environment, input "
                       "and kinds of output of the recording, and a recording "
                       "without lost events"},
        DivergenceCase{"NotPlanned",
                       "",
                       {{"4", {0, 0}}},
                       "diverges at allocation 4: it asks for 64 bytes, and "
                       "the plan does not contain it; expected the arguments, "
                       "environment, input and kinds of output of the "
                       "recording, and a recording without lost events"},
        DivergenceCase{"Misaligned",
                       "",
                       {{"4", {64, 528}}},
                       "diverges at allocation 4: it asks for the alignment "
                       "256, and the plan has the offset 528"},
        DivergenceCase{"OnALiveBlock",
                       "",
                       {{"3", {80, 304}}},
                       "diverges at allocation 3: its place, bytes 304 to 384, "
                       "overlaps allocation 2, which is still live"},
        DivergenceCase{"EndsEarly",
                       "",
                       {{"7", {32, 1024}}},
                       "diverges at allocation 7: it ended after 6 "
                       "allocations, and the plan has 32 bytes there"},
        DivergenceCase{"Executes",
                       "executes",
                       {{"7", {32, 1024}}},
                       "diverges at allocation 6: it executes another image, "
                       "to which the plan belongs"},
        DivergenceCase{"FreesTwice",
                       "frees_twice",
                       {},
                       "diverges at allocation 6: before it, byte 0 of the "
                       "arena is freed, where no live block begins"},
        DivergenceCase{"Aborts",
                       "aborts",
                       {},
                       "was ended by signal 6 (Aborted) after 6 allocations"}),
    [](const auto& test) { return std::string(test.param.name); });

// When a thread starts, the C library allocates a block of a size that it
// chooses. The first replay determines this size, and the second replay uses
// it.
TEST(ReplayTest, ASecondThreadThatAllocatesIsStopped) {
  const auto first = ReplayBlocks(RightBlocks(), "has_thread");
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string before = "diverges at allocation 6: it asks for ";
  ASSERT_THAT(first->divergence, StartsWith(before));
  ReplayedBlocks blocks = RightBlocks();
  blocks["6"] = {std::stoul(first->divergence.substr(before.size())), 1024};
  const auto second = ReplayBlocks(blocks, "has_thread");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->divergence,
            "diverges at allocation 7: a second thread asks for 10 bytes; "
            "expected a program with one thread");
}

TEST(ReplayTest, AProgramMayExecuteAnotherWhenItsPlanIsDone) {
  const auto report = ReplayBlocks(RightBlocks(), "executes");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->divergence, "");
  EXPECT_EQ(report->exit_code, 3);
  EXPECT_EQ(report->program, STOWAGE_REPLAYED_PROGRAM);
}

TEST(ReplayTest, AnotherImageIsStoppedAtItsFirstAllocation) {
  // The shell allocates memory before it replaces itself by `true`.
  ReplayRequest request = RequestFor("");
  request.command = {"sh", "-c", "exec true"};
  const auto report = Replay(PlanOf({{"0", {7, 0}}}), request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->divergence, StartsWith("diverges at allocation 0: "));
  EXPECT_THAT(report->divergence, HasSubstr("belongs to another image"));
}

struct BadReplayCase {
  const char* name;
  std::function<void(ProblemFile* plan, ReplayRequest* request)> change;
  absl::StatusCode code;
  const char* error;
};

class BadReplayTest : public testing::TestWithParam<BadReplayCase> {};

TEST_P(BadReplayTest, IsRefused) {
  ProblemFile plan = PlanOf(RightBlocks());
  ReplayRequest request = RequestFor("");
  GetParam().change(&plan, &request);
  const absl::Status status = Replay(plan, request).status();
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadReplayTest,
    testing::Values(
        BadReplayCase{"NoPlan",
                      [](ProblemFile* plan, ReplayRequest*) {
                        plan->plan.offsets.clear();
                      },
                      absl::StatusCode::kInvalidArgument,
                      "expected a column offset"},
        BadReplayCase{"NoNumber",
                      [](ProblemFile* plan, ReplayRequest*) {
                        plan->problem.names[1] = "x";
                      },
                      absl::StatusCode::kInvalidArgument,
                      "id 'x' is not a number"},
        BadReplayCase{"SameNumber",
                      [](ProblemFile* plan, ReplayRequest*) {
                        plan->problem.names[1] = "00";
                      },
                      absl::StatusCode::kInvalidArgument,
                      "is the number of two records"},
        BadReplayCase{"NoOffsetOfMalloc",
                      [](ProblemFile* plan, ReplayRequest*) {
                        plan->plan.offsets[1] = 8;
                      },
                      absl::StatusCode::kFailedPrecondition,
                      "id '2' has the offset 8; expected a multiple of 16"},
        BadReplayCase{"BeyondNumbers",
                      [](ProblemFile* plan, ReplayRequest*) {
                        plan->plan.offsets[1] = ~size_t{15};
                      },
                      absl::StatusCode::kInvalidArgument, "ends beyond"},
        BadReplayCase{"NoProgram",
                      [](ProblemFile*, ReplayRequest* request) {
                        request->command = {"/no/such/program"};
                      },
                      absl::StatusCode::kNotFound, "/no/such/program"},
        BadReplayCase{"NoCommand",
                      [](ProblemFile*, ReplayRequest* request) {
                        request->command.clear();
                      },
                      absl::StatusCode::kInvalidArgument, "no program"},
        BadReplayCase{"NoLibrary",
                      [](ProblemFile*, ReplayRequest* request) {
                        request->library = "/no/such/library.so";
                      },
                      absl::StatusCode::kUnimplemented, "/no/such/library.so"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace stowage
