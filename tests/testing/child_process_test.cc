// SPDX-License-Identifier: Apache-2.0
#include "src/testing/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using End = ChildResult::End;

ChildResult RunScript(const std::string& script,
                      const ChildLimits& limits = ChildLimits()) {
  const auto result = RunChild({"sh", "-c", script}, limits);
  EXPECT_THAT(result, IsOk());
  return result.ok() ? *result : ChildResult();
}

struct EndCase {
  const char* name;
  std::string script;
  End end;
  int code;
  std::string description;
};

class RunChildTest : public ::testing::TestWithParam<EndCase> {};

TEST_P(RunChildTest, ReportsHowItEnded) {
  const ChildResult result = RunScript(GetParam().script);
  EXPECT_EQ(result.end, GetParam().end);
  EXPECT_EQ(result.code, GetParam().code);
  EXPECT_THAT(Describe(result, ChildLimits()),
              HasSubstr(GetParam().description));
}

INSTANTIATE_TEST_SUITE_P(
    All, RunChildTest,
    ::testing::Values(
        EndCase{"Done", "exit 0", End::kExit, 0, "exited with code 0"},
        EndCase{"Failed", "exit 7", End::kExit, 7, "exited with code 7"},
        EndCase{"Killed", "kill -KILL $$", End::kSignal, SIGKILL,
                "was ended by signal 9 ("},
        EndCase{"ClosedItsOutput", "exec > /dev/null 2>&1; sleep 0.1; exit 5",
                End::kExit, 5, "exited with code 5"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RunChild, KeepsTheEndOfTheOutput) {
  EXPECT_EQ(RunScript("echo out; echo err >&2").printed, "out\nerr\n");
  const ChildResult much = RunScript(
      "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done");
  EXPECT_EQ(much.end, End::kExit);
  EXPECT_THAT(much.printed, SizeIs(4096));
  EXPECT_THAT(much.printed, ::testing::EndsWith("line 1999\n"));
}

TEST(RunChild, GivesNoInput) {
  EXPECT_EQ(RunScript("read line || echo none").printed, "none\n");
}

TEST(RunChild, KillsAProgramThatRunsTooLong) {
  ChildLimits limits;
  limits.timeout = absl::Milliseconds(50);
  const ChildResult result = RunScript("sleep 100", limits);
  EXPECT_EQ(result.end, End::kTimeout);
  EXPECT_EQ(Describe(result, limits), "was still running after 50ms");
}

TEST(RunChild, KillsAProgramThatPrintsTooMuch) {
  ChildLimits limits;
  limits.max_printed = 100000;
  const ChildResult result = RunScript("while :; do echo more; done", limits);
  EXPECT_EQ(result.end, End::kOutputLimit);
  EXPECT_THAT(result.printed, SizeIs(4096));
  EXPECT_EQ(Describe(result, limits), "printed more than 100000 bytes");
}

TEST(RunChild, KillsAProgramThatIsCancelled) {
  std::atomic<bool> stop{false};
  ChildLimits limits;
  limits.is_cancelled = [&] { return stop.load(); };
  const auto start = std::chrono::steady_clock::now();
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(50));
    stop = true;
  });
  EXPECT_EQ(RunScript("sleep 100", limits).end, End::kStopped);
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Returns whether the process exists and is not a zombie.
bool IsRunning(const std::string& pid) {
  const std::string look =
      absl::StrCat("grep -q '^State:[^Z]*$' /proc/", pid, "/status");
  return std::system((look + " 2> /dev/null").c_str()) == 0;
}

using RunChildLeavesTest = TempFolderTest;

TEST_F(RunChildLeavesTest, NoGrandchild) {
  ChildLimits limits;
  // One of the scripts waits until the timeout terminates it. The timeout is
  // long enough for the script to write the process number first, even on a
  // busy machine.
  limits.timeout = absl::Seconds(3);
  for (const std::string then : {"exit 0", "wait", "exit 1 > /dev/null"}) {
    const std::string name = "pid of " + then.substr(0, 6);
    RunScript(absl::StrCat("sleep 1000 & echo $! > '", Path(name), "'; ", then),
              limits);
    const std::string pid(absl::StripAsciiWhitespace(Read(name)));
    ASSERT_NE(pid, "");
    for (int tries = 0; tries < 100 && IsRunning(pid); ++tries) {
      absl::SleepFor(absl::Milliseconds(20));
    }
    EXPECT_FALSE(IsRunning(pid)) << then;
  }
}

// The command ignores SIGXFSZ, but a child process must not inherit this
// setting. If a planner writes too much, the signal must terminate it in the
// same way as without the command.
TEST(RunChild, RestoresTheFileSizeSignal) {
  void (*const before)(int) = signal(SIGXFSZ, SIG_IGN);
  const ChildResult result = RunScript("kill -XFSZ $$");
  signal(SIGXFSZ, before);
  EXPECT_EQ(result.end, End::kSignal);
  EXPECT_EQ(result.code, SIGXFSZ);
}

TEST(ChildSlot, KillsTheProgramBeforeCloseReturns) {
  ChildSlot slot;
  ChildLimits limits;
  limits.slot = &slot;
  ChildResult result;
  std::thread thread([&] { result = RunScript("sleep 100", limits); });
  absl::SleepFor(absl::Milliseconds(100));
  slot.Close();
  thread.join();
  EXPECT_THAT(RunChild({"true"}, limits),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
  // The code is 0 if the slot was closed before the program started.
  EXPECT_TRUE(result.code == SIGKILL || result.code == 0);
}

TEST(RunChild, NamesAProgramThatCannotBeStarted) {
  EXPECT_THAT(RunChild({"/no/such/planner", "a"}, {}),
              FailsWith(absl::StatusCode::kNotFound,
                        HasSubstr("/no/such/planner: cannot be started: ")));
  EXPECT_THAT(RunChild({"no-such-planner-in-the-path"}, {}),
              FailsWith(absl::StatusCode::kNotFound,
                        HasSubstr("no-such-planner-in-the-path: ")));
  EXPECT_THAT(RunChild({"/"}, {}),
              FailsWith(absl::StatusCode::kPermissionDenied,
                        HasSubstr("/: cannot be started: ")));
}

}  // namespace
}  // namespace stowage::program
