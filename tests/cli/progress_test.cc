// Progress is for people who wait: on a terminal, after a second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/cli/command.h"

namespace stowage::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// What a terminal shows of the standard error of a line of shell.
std::string OnTerminal(const CommandFolder& folder, const std::string& line) {
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
  std::array<char, 4096> buffer;
  // Ends with an error, as terminals do, when the child is gone.
  for (ssize_t n; (n = read(terminal, buffer.data(), buffer.size())) > 0;) {
    shown.append(buffer.data(), static_cast<size_t>(n));
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << shown;
  close(terminal);
  return shown;
}

constexpr char kTrace[] = "id,lower,upper,size\na,0,2,4\n";
constexpr char kSlowly[] = "{ sleep 1.6; cat x.csv; } | ";

TEST(Progress, IsShownOnATerminalAndWiped) {
  const CommandFolder folder;
  folder.Write("x.csv", kTrace);
  const std::string shown = OnTerminal(
      folder, absl::StrCat(kSlowly, "stowage compare - > /dev/null"));
  EXPECT_THAT(shown, HasSubstr("reading -"));
  EXPECT_THAT(shown, EndsWith("\r\033[K"));
}

TEST(Progress, IsNotShownForShortWork) {
  const CommandFolder folder;
  folder.Write("x.csv", kTrace);
  EXPECT_EQ(OnTerminal(folder, "stowage compare x.csv > /dev/null"), "");
}

TEST(Progress, IsNotShownInAFile) {
  const CommandFolder folder;
  folder.Write("x.csv", kTrace);
  const CommandResult result =
      folder.Run(absl::StrCat(kSlowly, "stowage compare -"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, Not(HasSubstr("reading")));
}

}  // namespace
}  // namespace stowage::cli
