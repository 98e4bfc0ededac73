// SPDX-License-Identifier: Apache-2.0
// Tests that an interrupted command stops at once and reports partial results.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"
#include "tests/support/sanitized.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;

// The maximum time until an interrupted command stops. An idle machine needs
// 100 ms, but tests also run on loaded machines and with sanitizers.
constexpr milliseconds kAtOnce{5000};
constexpr milliseconds kNap{5};

constexpr char kSoFar[] =
    "stowage: interrupted: this is what was found so far\n";

// A process that runs the command.
class RunningCommand {
 public:
  // Starts the command with `input` as its standard input. Returns when the
  // command has installed its handler of `signal`.
  RunningCommand(const CommandFolder& folder, const std::string& arguments,
                 int signal, int input)
      : folder_(folder), signal_(signal) {
    child_ = fork();
    if (child_ == 0) Exec(arguments, input);
    while (!IsCaught()) {
      if (!IsRunning()) {
        ADD_FAILURE() << "it has ended before it handled the signal";
        return;
      }
      std::this_thread::sleep_for(kNap);
    }
  }
  ~RunningCommand() {
    if (child_ < 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // Waits until the process has used this much processor time.
  void WaitForWork(milliseconds time) const {
    const auto ticks =
        static_cast<uint64_t>(time.count() * sysconf(_SC_CLK_TCK) / 1000);
    while (TicksUsed() < ticks) {
      ASSERT_TRUE(IsRunning()) << "it has ended by itself";
      std::this_thread::sleep_for(kNap);
    }
  }

  // Waits until all threads of the process have been blocked for this long.
  void WaitForSleep(milliseconds time) const {
    milliseconds asleep{0};
    while (asleep < time) {
      ASSERT_TRUE(IsRunning()) << "it has ended by itself";
      std::this_thread::sleep_for(kNap);
      asleep = IsAsleep() ? asleep + kNap : milliseconds{0};
    }
  }

  void SendSignal() const { kill(child_, signal_); }

  // Sends the signal repeatedly until the process ends, because a signal that
  // arrives while another one is pending is lost.
  CommandResult SendUntilEnd() {
    while (IsRunning()) {
      SendSignal();
      std::this_thread::sleep_for(kNap);
    }
    return AwaitEnd();
  }

  // Waits for the end of the process. If a signal ended the process, the exit
  // code is 128 plus the number of the signal.
  CommandResult AwaitEnd() {
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    EXPECT_LT(std::chrono::steady_clock::now() - start, kAtOnce);
    CommandResult result;
    result.exit_code =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = ReadWholeFile(folder_.path() + "/out");
    result.err = ReadWholeFile(folder_.path() + "/err");
    return result;
  }

 private:
  [[noreturn]] void Exec(const std::string& arguments, int input) const {
    // If the test runs in the background, it has inherited that these signals
    // are ignored, but the command must start with their default actions.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      std::signal(number, SIG_DFL);
    }
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
    dup2(input, STDIN_FILENO);
    dup2(open((folder_.path() + "/out").c_str(), kFlags, 0600), STDOUT_FILENO);
    dup2(open((folder_.path() + "/err").c_str(), kFlags, 0600), STDERR_FILENO);
    if (chdir((folder_.path() + "/desk").c_str()) != 0) std::abort();
    std::vector<std::string> words = absl::StrSplit(arguments, ' ');
    std::vector<char*> argv = {const_cast<char*>("stowage")};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(STOWAGE_BINARY_DIR "/stowage", argv.data());
    std::abort();
  }

  // Returns the rest of the line that begins with `key` in the given file of
  // /proc/PID.
  std::string Field(absl::string_view file, absl::string_view key) const {
    std::ifstream lines(absl::StrCat("/proc/", child_, "/", file));
    for (std::string line; std::getline(lines, line);) {
      if (absl::StartsWith(line, key)) return line.substr(key.size());
    }
    return "";
  }

  bool IsCaught() const {
    const std::string mask = Field("status", "SigCgt:");
    const uint64_t bits = std::strtoull(mask.c_str(), nullptr, 16);
    return (bits >> (signal_ - 1) & 1) != 0;
  }

  std::vector<std::string> Stat(const std::string& file = "stat") const {
    return absl::StrSplit(Field(file, ""), ' ');
  }

  // Returns the state of the process: "R" if it is running, "S" if it is
  // sleeping, and "Z" if it has ended.
  std::string State(const std::string& file = "stat") const {
    const std::vector<std::string> fields = Stat(file);
    return fields.size() < 3 ? "" : fields[2];
  }

  bool IsRunning() const { return State() != "Z" && !State().empty(); }

  bool IsAsleep() const {
    const fs::directory_iterator threads(
        absl::StrCat("/proc/", child_, "/task"));
    return std::all_of(begin(threads), end(threads), [&](const auto& thread) {
      return State(absl::StrCat("task/", thread.path().filename().string(),
                                "/stat")) == "S";
    });
  }

  uint64_t TicksUsed() const {
    const std::vector<std::string> fields = Stat();
    if (fields.size() < 15) return 0;
    return std::strtoull(fields[13].c_str(), nullptr, 10) +
           std::strtoull(fields[14].c_str(), nullptr, 10);
  }

  const CommandFolder& folder_;
  int signal_;
  pid_t child_ = -1;
};

// Returns a trace for which every search for shared objects takes minutes or
// more.
std::string HardTrace(uint64_t seed) {
  return RandomTraceCsv({300, 200, 60, 1'000'000}, seed);
}

int OpenNoInput() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

// Sends the signal after this much processor time. Returns the result of the
// command.
CommandResult Interrupt(const CommandFolder& folder,
                        const std::string& arguments, int signal,
                        milliseconds work) {
  RunningCommand command(folder, arguments, signal, OpenNoInput());
  command.WaitForWork(work);
  command.SendSignal();
  const CommandResult result = command.AwaitEnd();
  EXPECT_EQ(result.exit_code, 128 + signal);
  return result;
}

class InterruptionTest : public testing::TestWithParam<int> {};

TEST_P(InterruptionTest, OfASearchDeliversItsBestPlan) {
  const CommandFolder folder;
  folder.Write("in.csv", HardTrace(1));
  folder.Write("plan.csv", "an old plan");
  const CommandResult result =
      Interrupt(folder,
                "plan in.csv --strategy optimal --kind objects --time-limit 5m "
                "-o plan.csv",
                GetParam(), milliseconds(support::kIsSanitized ? 3000 : 600));
  EXPECT_THAT(result.out, HasSubstr("status       feasible"));
  EXPECT_EQ(result.err, kSoFar);
  EXPECT_EQ(folder.List(), "in.csv plan.csv");
  const CommandResult verified = folder.Run("stowage verify in.csv plan.csv");
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
}

TEST_P(InterruptionTest, OfAComparisonPrintsTheRowsSoFar) {
  // With sanitizers, most of the time is spent on reading the inputs.
  constexpr size_t kInputs = support::kIsSanitized ? 150 : 300;
  const CommandFolder folder;
  std::string inputs;
  for (size_t i = 0; i < kInputs; ++i) {
    const std::string name = absl::StrCat(i, ".csv");
    folder.Write(name, HardTrace(i));
    absl::StrAppend(&inputs, " ", name);
  }
  const CommandResult result = Interrupt(
      folder,
      absl::StrCat(
          "compare --kind objects --format json --strategies naive,optimal",
          inputs),
      GetParam(), milliseconds(support::kIsSanitized ? 8000 : 4000));
  EXPECT_EQ(result.err, kSoFar);
  const json rows = json::parse(result.out, nullptr, false)["rows"];
  ASSERT_GT(rows.size(), 1u) << result.out;
  EXPECT_LT(rows.size(), kInputs);
  for (const json& row : rows) EXPECT_EQ(row["plans"].size(), 2u) << row;
}

INSTANTIATE_TEST_SUITE_P(BySignal, InterruptionTest,
                         testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& test) {
                           return std::string(sigabbrev_np(test.param));
                         });

// Returns a trace of records with different sizes that are all live at the same
// time. Strategies that compare every pair of records take a long time for this
// trace.
std::string OverlappingTrace() {
  constexpr int64_t kCount = 300'000;
  std::string csv = "id,lower,upper,size\n";
  for (int64_t i = 0; i < kCount; ++i) {
    absl::StrAppend(&csv, i, ",", i, ",", 2 * kCount - i, ",",
                    1 + i * 7919 % kCount, "\n");
  }
  return csv;
}

// Returns the total processor time of all commands that have ended.
milliseconds WorkOfChildren() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto of = [](const timeval& time) {
    return milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

TEST(Interruption, OfAStrategyThatDoesNotSearchLeavesTheOldPlan) {
  const CommandFolder folder;
  folder.Write("in.csv", OverlappingTrace());
  folder.Write("plan.csv", "an old plan");
  const CommandResult result =
      Interrupt(folder, "plan in.csv --strategy greedy_by_size -o plan.csv",
                SIGINT, milliseconds(500));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "stowage: interrupted\n");
  EXPECT_EQ(folder.Read("plan.csv"), "an old plan");
  EXPECT_EQ(folder.List(), "in.csv plan.csv");
}

TEST(Interruption, OfAComparisonInAStrategyThatDoesNotSearch) {
  const CommandFolder folder;
  folder.Write("in.csv", OverlappingTrace());
  // The second plan takes ten times as long as reading the trace and making the
  // first plan, so the signal interrupts the second plan.
  const milliseconds before = WorkOfChildren();
  ASSERT_EQ(folder.Run("stowage compare in.csv --strategies naive").exit_code,
            0);
  const milliseconds once = WorkOfChildren() - before;
  const CommandResult result = Interrupt(
      folder, "compare in.csv --strategies naive,greedy_by_size --format json",
      SIGINT, 3 * once);
  EXPECT_EQ(result.err, kSoFar);
  const json rows = json::parse(result.out, nullptr, false)["rows"];
  ASSERT_EQ(rows.size(), 1u) << result.out;
  ASSERT_EQ(rows[0]["plans"].size(), 1u);
  EXPECT_EQ(rows[0]["plans"][0]["strategy"], "naive");
}

TEST(Interruption, OfARunEndsTheCommand) {
  const CommandFolder folder;
  folder.Write("model", ReadWholeFile(STOWAGE_SOURCE_DIR
                                      "/data/models/residual_int8.tflite"));
  const CommandResult result = Interrupt(
      folder, "run model --repeat 1000000000", SIGINT, milliseconds(100));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "stowage: interrupted\n");
}

TEST(Interruption, WhileInputIsAwaitedEndsTheCommand) {
  const CommandFolder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  RunningCommand command(folder, "bounds -", SIGTERM, ends[0]);
  command.SendSignal();
  const CommandResult result = command.AwaitEnd();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "stowage: interrupted\n");
  close(ends[0]);
  close(ends[1]);
}

// Returns whether the folder of the command contains a temporary file.
bool IsWriting(const CommandFolder& folder) {
  const fs::directory_iterator files(folder.path() + "/desk");
  return std::any_of(begin(files), end(files), [](const auto& file) {
    return absl::StartsWith(file.path().filename().string(), ".stowage-");
  });
}

// Returns a plan of many records that are all live at the same time.
std::string LargePlan() {
  std::string csv = "id,lower,upper,size,offset\n";
  for (int64_t i = 0; i < 300'000; ++i) {
    absl::StrAppend(&csv, i, ",", i, ",300001,64,", 64 * i, "\n");
  }
  return csv;
}

// The page is so large that the signals arrive while it is being written. The
// command must not leave a partial result, and must keep the old page.
TEST(Interruption, TwiceWhileAFileIsWrittenLeavesTheOldFileAlone) {
  const CommandFolder folder;
  folder.Write("plan.csv", LargePlan());
  for (int trial = 0; trial < 5; ++trial) {
    folder.Write("page.html", "an old page");
    RunningCommand command(folder, "report plan.csv -o page.html", SIGINT,
                           OpenNoInput());
    while (!IsWriting(folder)) {
      ASSERT_EQ(folder.Read("page.html"), "an old page") << "not seen";
      std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(milliseconds(trial));
    command.SendSignal();
    std::this_thread::sleep_for(milliseconds(2));
    command.SendSignal();
    EXPECT_EQ(command.AwaitEnd().exit_code, 128 + SIGINT);
    EXPECT_FALSE(IsWriting(folder));
    EXPECT_EQ(folder.Read("page.html"), "an old page");
  }
}

// The plan goes to a pipe without a reader. The second signal ends the command
// while it waits for a reader.
TEST(Interruption, TwiceEndsEvenTheDelivery) {
  const CommandFolder folder;
  folder.Write("in.csv", kTwoRecords);
  ASSERT_EQ(mkfifo((folder.path() + "/desk/pipe").c_str(), 0600), 0);
  RunningCommand command(folder, "plan in.csv --strategy naive -o pipe", SIGINT,
                         OpenNoInput());
  // The command waits for a reader, and continues to wait after the first
  // signal.
  command.WaitForSleep(milliseconds(300));
  command.SendSignal();
  command.WaitForSleep(milliseconds(300));
  command.SendSignal();
  const CommandResult result = command.AwaitEnd();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(folder.List(), "in.csv pipe");
}

// The planner hangs. The second signal arrives before the command has noticed
// the first one.
TEST(Interruption, TwiceLeavesNoPlannerAndNoFolderBehind) {
  const struct {
    milliseconds between;
    const char* arguments;
  } cases[] = {
      {milliseconds(1), "--command=sh\thang\t{in}\t{out}"},
      {milliseconds(5), "--command=sh\thang\t{in}\t{out}"},
      {milliseconds(1), "--serve --command=sh\tserve"},
      {milliseconds(5), "--serve --command=sh\tserve"},
  };
  for (const auto& [between, arguments] : cases) {
    const CommandFolder folder;
    folder.Write("hang",
                 "in=${in-$1}; echo $$ > pid.new; echo \"$in\" > asked\n"
                 "mv pid.new pid; sleep 1000\n");
    folder.Write("serve", "echo ready; read -r in out; . ./hang\n");
    RunningCommand command(folder, absl::StrCat("check-planner ", arguments),
                           SIGTERM, OpenNoInput());
    while (!absl::StrContains(folder.List(), "pid ") &&
           !absl::EndsWith(folder.List(), "pid")) {
      std::this_thread::sleep_for(kNap);
    }
    command.SendSignal();
    std::this_thread::sleep_for(between);
    EXPECT_EQ(command.SendUntilEnd().exit_code, 128 + SIGTERM);
    const std::string left =
        "test ! -e \"$(dirname \"$(dirname \"$(cat asked)\")\")\" && "
        "! grep -q '^State:[^Z]*$' /proc/$(cat pid)/status 2> /dev/null";
    CommandResult result;
    for (int tries = 0; tries < 100; ++tries) {
      result = folder.Run(left);
      if (result.exit_code == 0) break;
      std::this_thread::sleep_for(4 * kNap);
    }
    EXPECT_EQ(result.exit_code, 0)
        << "after " << between.count() << " ms: " << arguments;
  }
}

// The signals may arrive at any time: while the command creates the folder of
// the next run, while it starts the planner, or while the planner writes its
// file.
TEST(Interruption, TwiceLeavesNoFolderBehindWheneverItComes) {
  const CommandFolder folder;
  const std::string tmp = folder.path() + "/desk/tmp";
  fs::create_directory(tmp);
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  setenv("TMPDIR", tmp.c_str(), 1);
  for (int trial = 0; trial < 40; ++trial) {
    // The planner rejects every trace immediately, so the next run also begins
    // immediately.
    RunningCommand command(
        folder, "check-planner --keep-going --command=false\t{in}\t{out}",
        SIGTERM, OpenNoInput());
    for (int wait = 0; wait < 10'000 && fs::is_empty(tmp); ++wait) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(317 * trial));
    command.SendSignal();
    std::this_thread::sleep_for(std::chrono::microseconds(53 * trial));
    EXPECT_EQ(command.SendUntilEnd().exit_code, 128 + SIGTERM);
    ASSERT_TRUE(fs::is_empty(tmp)) << "trial " << trial;
  }
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", saved.c_str(), 1);
  }
}

// SIGINT is ignored in background commands of a shell without job control.
TEST(Interruption, IsIgnoredWhereTheSignalIs) {
  const CommandFolder folder;
  folder.Write("in.csv", HardTrace(1));
  const CommandResult result = folder.Run(
      "trap '' INT\n"
      "stowage plan in.csv --strategy optimal --kind objects "
      "--time-limit 1s > out.txt &\n"
      "sleep 0.4; kill -INT $!; wait $!");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(folder.Read("out.txt"), HasSubstr("status       feasible"));
}

}  // namespace
}  // namespace stowage::cli
