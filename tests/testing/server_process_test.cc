// SPDX-License-Identifier: Apache-2.0
// Tests server programs, which answer one request after another, and all ways
// in which they can fail to answer.
#include "src/testing/server_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "src/testing/child_process.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using End = ChildResult::End;
using Phase = ChildResult::Phase;

ChildLimits ShortLimits() {
  ChildLimits limits;
  limits.timeout = absl::Seconds(20);
  limits.max_printed = 10000;
  return limits;
}

std::unique_ptr<ServerProcess> Script(
    const std::string& script, const ChildLimits& limits = ShortLimits()) {
  return std::make_unique<ServerProcess>(
      std::vector<std::string>{"sh", "-c", script}, limits);
}

ChildResult Ask(ServerProcess* server) {
  const auto result = server->Ask("one two");
  EXPECT_THAT(result, IsOk());
  return result.ok() ? *result : ChildResult();
}

TEST(ServerProcess, AnswersRequestAfterRequest) {
  const auto server = Script(
      "echo ready; while read -r a b; do n=$((n+1)); echo $n $a-$b; done");
  EXPECT_FALSE(server->has_been_ready());
  for (int n = 1; n < 200; ++n) {
    const ChildResult answer = Ask(server.get());
    ASSERT_EQ(answer.end, End::kAnswer);
    EXPECT_EQ(answer.code, n);  // the count goes on in the same process
    EXPECT_EQ(answer.printed, "one-two");
  }
  EXPECT_TRUE(server->has_been_ready());
}

// A program that answers the first request but not the second. The case
// describes how the second request fails. A third request starts the program
// again.
struct WrongCase {
  const char* name;
  std::string script;  // what the program does after "ready" and one answer
  End end;
  Phase phase;
  std::string text;         // part of the description or of the output
  bool is_awaited = false;  // true if it fails before the second request
};

class WrongServerTest : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongServerTest, IsToldAndStartedAgain) {
  ChildLimits limits = ShortLimits();
  if (GetParam().end == End::kTimeout) limits.timeout = absl::Seconds(1);
  const auto server =
      Script(absl::StrCat("echo ready; read -r a; echo 0; ", GetParam().script),
             limits);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Ask(server.get()).end, End::kAnswer);
    if (GetParam().is_awaited) absl::SleepFor(absl::Seconds(1));
    const auto start = std::chrono::steady_clock::now();
    const ChildResult result = Ask(server.get());
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(15));
    EXPECT_EQ(result.end, GetParam().end) << Describe(result, limits);
    EXPECT_EQ(result.phase, GetParam().phase);
    EXPECT_THAT(absl::StrCat(Describe(result, limits), ": ", result.printed),
                HasSubstr(GetParam().text));
  }
}

constexpr char kRead[] = "read -r a; ";

INSTANTIATE_TEST_SUITE_P(
    All, WrongServerTest,
    ::testing::Values(
        WrongCase{"Garbage", absl::StrCat(kRead, "echo hello; cat"),
                  End::kWrongOutput, Phase::kRequest,
                  "\"hello\" is not an answer; expected an exit code"},
        WrongCase{"Bytes", absl::StrCat(kRead, "printf '\\001\\377\\n'; cat"),
                  End::kWrongOutput, Phase::kRequest, "\\001\\377"},
        WrongCase{"CodeTooLarge", absl::StrCat(kRead, "echo 256; cat"),
                  End::kWrongOutput, Phase::kRequest, "\"256\" is not"},
        WrongCase{"NegativeCode", absl::StrCat(kRead, "echo -1; cat"),
                  End::kWrongOutput, Phase::kRequest, "\"-1\" is not"},
        WrongCase{"BlankLine", absl::StrCat(kRead, "echo; cat"),
                  End::kWrongOutput, Phase::kRequest, "\"\" is not"},
        WrongCase{"TwoLines", absl::StrCat(kRead, "printf '0\\n0\\n'; cat"),
                  End::kWrongOutput, Phase::kRequest,
                  "expected one line for each request"},
        // The pause separates the line from the previous answer.
        WrongCase{"Unasked", "sleep 0.3; echo 0; cat", End::kWrongOutput,
                  Phase::kIdle, "was printed without a request", true},
        WrongCase{"EndlessLine",
                  absl::StrCat(kRead, "while :; do printf 0123456789; done"),
                  End::kOutputLimit, Phase::kRequest,
                  "printed more than 10000 bytes"},
        WrongCase{"EndlessErrors",
                  absl::StrCat(kRead, "while :; do echo error >&2; done"),
                  End::kOutputLimit, Phase::kRequest,
                  "printed more than 10000 bytes"},
        WrongCase{"Nothing", absl::StrCat(kRead, "sleep 100"), End::kTimeout,
                  Phase::kRequest, "had not answered after 1s"},
        WrongCase{"HalfALine", absl::StrCat(kRead, "printf 0; sleep 100"),
                  End::kTimeout, Phase::kRequest, "had not answered after 1s"},
        WrongCase{"ClosedOutput",
                  absl::StrCat(kRead, "exec > /dev/null; sleep 100"),
                  End::kWrongOutput, Phase::kRequest,
                  "its standard input or output is closed"},
        WrongCase{"ClosedInput", "exec < /dev/null; sleep 100",
                  End::kWrongOutput, Phase::kRequest,
                  "its standard input or output is closed", true},
        WrongCase{"Exit", absl::StrCat(kRead, "echo oh >&2; exit 0"),
                  End::kExit, Phase::kRequest,
                  "exited with code 0 before it answered: oh"},
        WrongCase{"Signal", absl::StrCat(kRead, "kill -SEGV $$"), End::kSignal,
                  Phase::kRequest, "was ended by signal 11"},
        WrongCase{"LeavesAChildBehind",
                  absl::StrCat(kRead, "sleep 100 & exit 3"), End::kExit,
                  Phase::kRequest, "exited with code 3 before it answered"},
        WrongCase{"EndsAfterItsAnswer", "exit 3", End::kExit, Phase::kIdle,
                  "exited with code 3 after it had answered", true},
        WrongCase{"CrashesAfterItsAnswer", "kill -SEGV $$", End::kSignal,
                  Phase::kIdle, "(Segmentation fault) after it had answered",
                  true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ServerProcess, MayEndAfterAnAnswer) {
  const auto server = Script("echo ready; read -r a; echo 7");
  for (int n = 0; n < 3; ++n) {
    absl::SleepFor(absl::Milliseconds(300));
    const ChildResult answer = Ask(server.get());
    EXPECT_EQ(answer.end, End::kAnswer);
    EXPECT_EQ(answer.code, 7);
  }
}

// The program may not have exited yet when the next request is sent.
TEST(ServerProcess, MayEndAfterAnAnswerAtAnyTime) {
  const auto server = Script("echo ready; read -r a; echo 7; sleep 0.01");
  for (int n = 0; n < 5; ++n) {
    const ChildResult answer = Ask(server.get());
    EXPECT_EQ(answer.end, End::kAnswer);
    EXPECT_EQ(answer.code, 7);
  }
}

struct StartCase {
  const char* name;
  std::string script;
  End end;
  std::string text;
};

class ServerStartTest : public ::testing::TestWithParam<StartCase> {};

TEST_P(ServerStartTest, IsWrong) {
  ChildLimits limits = ShortLimits();
  if (GetParam().end == End::kTimeout) limits.timeout = absl::Seconds(1);
  const auto server = Script(GetParam().script, limits);
  const ChildResult result = Ask(server.get());
  EXPECT_EQ(result.end, GetParam().end);
  EXPECT_EQ(result.phase, Phase::kStart);
  EXPECT_THAT(absl::StrCat(Describe(result, limits), ": ", result.printed),
              HasSubstr(GetParam().text));
  EXPECT_FALSE(server->has_been_ready());
}

INSTANTIATE_TEST_SUITE_P(
    All, ServerStartTest,
    ::testing::Values(StartCase{"Ends", "echo why >&2; exit 2", End::kExit,
                                "exited with code 2 before it was ready: why"},
                      StartCase{"SaysSomethingElse", "echo hello; cat",
                                End::kWrongOutput,
                                "its first line is \"hello\""},
                      StartCase{"SaysMore", "printf 'ready\\n0\\n'; cat",
                                End::kWrongOutput,
                                "\"0\\n\" follows the line \"ready\""},
                      StartCase{"SaysNothing", "cat", End::kTimeout,
                                "was not ready after 1s"}),
    [](const auto& test) { return std::string(test.param.name); });

// The program never reads its requests, so they fill the pipe. Writing further
// requests must not block.
TEST(ServerProcess, NeedNotReadAllRequests) {
  const auto server =
      Script("echo ready; i=0; while sleep 0.01; do echo 0; done");
  const std::string request(3000, 'x');
  End end = End::kAnswer;
  for (int n = 0; n < 1000 && end == End::kAnswer; ++n) {
    const auto result = server->Ask(request);
    ASSERT_THAT(result, IsOk());
    end = result->end;
  }
  EXPECT_EQ(end, End::kWrongOutput);
}

TEST(ServerProcess, IsStoppedWhenItIsCancelled) {
  std::atomic<bool> stop{false};
  ChildLimits limits;
  limits.is_cancelled = [&] { return stop.load(); };
  const auto server = Script("echo ready; cat > /dev/null", limits);
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(100));
    stop = true;
  });
  EXPECT_EQ(Ask(server.get()).end, End::kStopped);
  thread.join();
}

TEST(ServerProcess, IsKilledWhenItsSlotIsClosed) {
  ChildSlot slot;
  ChildLimits limits = ShortLimits();
  limits.slot = &slot;
  const auto server =
      Script("echo ready; read -r a; echo 0; sleep 100", limits);
  EXPECT_EQ(Ask(server.get()).end, End::kAnswer);
  slot.Close();
  const ChildResult result = Ask(server.get());
  EXPECT_EQ(result.end, End::kSignal);
  EXPECT_EQ(result.code, 9);
  EXPECT_THAT(server->Ask("x"),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
}

TEST(ServerProcess, NamesAProgramThatIsNotThere) {
  ServerProcess server({"/no/such/planner"}, ShortLimits());
  EXPECT_THAT(server.Ask("x"), FailsWith(absl::StatusCode::kNotFound,
                                         HasSubstr("command not found")));
}

}  // namespace
}  // namespace stowage::program
