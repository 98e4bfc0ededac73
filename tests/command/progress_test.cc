// SPDX-License-Identifier: Apache-2.0
// Tests that progress is shown on a terminal after one second, and is printed
// as lines if there is no terminal.
#include "src/command/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Returns the next output of the terminal, or an empty string if the output has
// ended or if nothing is written for a minute.
std::string ReadMore(int terminal) {
  constexpr int kLong = 60'000;  // ms
  pollfd waiting = {terminal, POLLIN, 0};
  if (poll(&waiting, 1, kLong) <= 0) return "";
  std::array<char, 4096> buffer;
  // The terminal reports an error when the child has ended.
  const ssize_t n = read(terminal, buffer.data(), buffer.size());
  return {buffer.data(), n > 0 ? static_cast<size_t>(n) : 0};
}

// Runs a shell command on a terminal. Presses Enter when the terminal shows
// `awaited`. Returns the standard error that the terminal shows.
std::string OnTerminal(const CommandFolder& folder, const std::string& line,
                       const std::string& awaited) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  EXPECT_GE(child, 0);
  const std::string script =
      absl::StrCat("cd '", folder.path(), "/desk'; PATH='", STOWAGE_BINARY_DIR,
                   "':\"$PATH\"; ", line);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    _exit(127);
  }
  std::string shown;
  bool is_pressed = false;
  for (std::string more = ReadMore(terminal); !more.empty();
       more = ReadMore(terminal)) {
    shown += more;
    if (is_pressed || !absl::StrContains(shown, awaited)) continue;
    is_pressed = write(terminal, "\n", 1) == 1;
  }
  close(terminal);  // ends a program that still waits for Enter
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << shown;
  return shown;
}

constexpr char kOneRecord[] = "id,lower,upper,size\na,0,2,4\n";

TEST(Progress, IsShownOnATerminalAndWiped) {
  const CommandFolder folder;
  folder.Write("x.csv", kOneRecord);
  const std::string shown = OnTerminal(
      folder, "{ read enter; cat x.csv; } | stowage compare - > /dev/null",
      "reading -");
  EXPECT_THAT(shown, HasSubstr("reading -"));
  EXPECT_THAT(shown, EndsWith("\r\033[K"));
}

TEST(Progress, OfASearchIsItsGap) {
  const CommandFolder folder;
  // If every second record is aligned, no search solves this trace within
  // seconds.
  std::string trace;
  size_t count = 0;
  for (const absl::string_view line :
       absl::StrSplit(RandomTraceCsv({300, 100, 40, 200, 900}, 11), '\n',
                      absl::SkipEmpty())) {
    absl::StrAppend(&trace, line, count == 0 ? ",alignment" : ",",
                    count == 0       ? ""
                    : count % 2 == 0 ? "128"
                                     : "1",
                    "\n");
    ++count;
  }
  folder.Write("x.csv", trace);
  const std::string shown =
      OnTerminal(folder,
                 "stowage plan x.csv --strategy optimal --time-limit 3s "
                 "> /dev/null",
                 "bound");
  EXPECT_THAT(shown, HasSubstr("bound "));
  EXPECT_THAT(shown, HasSubstr(" plan +"));
  EXPECT_THAT(shown, HasSubstr(" optimal on "));
  EXPECT_THAT(shown, EndsWith("\r\033[K"));
}

TEST(Progress, IsNotShownForShortWork) {
  const CommandFolder folder;
  folder.Write("x.csv", kOneRecord);
  const auto start = std::chrono::steady_clock::now();
  const std::string shown =
      OnTerminal(folder, "stowage compare x.csv > /dev/null", "reading");
  if (std::chrono::steady_clock::now() - start < std::chrono::seconds(1)) {
    EXPECT_EQ(shown, "");
  }
}

TEST(Progress, IsNotShownInAFile) {
  const CommandFolder folder;
  folder.Write("x.csv", kOneRecord);
  const CommandResult result =
      folder.Run("{ sleep 1.6; cat x.csv; } | stowage compare -");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, Not(HasSubstr("reading")));
}

// Standard error may be a terminal when a developer runs the tests. Captures
// it, so that it is never a terminal here.
TEST(Progress, IsPrintedInLinesWhereThereIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress(4, std::chrono::milliseconds(20));
    progress.Begin("the first");
    progress.Begin("the second");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith(
                  "stowage: [#####...............] 1/4 0s the second\n"));
  testing::internal::CaptureStderr();
  {
    Progress progress(4, std::chrono::seconds(10));
    progress.Begin("the first");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace stowage::cli
