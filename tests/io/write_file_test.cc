// SPDX-License-Identifier: Apache-2.0
// Tests that a file is written either completely or not at all.

#include "stowage/io/write_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/write_text.h"
#include "tests/support/temp_folder.h"
#include "tests/support/unprivileged.h"

namespace stowage {
namespace {

using testing::ElementsAre;

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info.st_mode;
}

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

class WriteFileTest : public TempFolderTest {};

TEST_F(WriteFileTest, ANewFileHasTheModeOfNewFiles) {
  const mode_t before = umask(027);
  EXPECT_TRUE(WriteFile(Path("new"), "content").ok());
  umask(before);
  EXPECT_EQ(Read("new"), "content");
  EXPECT_EQ(ModeOf(Path("new")) & 07777, 0640u);
  EXPECT_THAT(Names(), ElementsAre("new"));
}

TEST_F(WriteFileTest, AnOldFileIsReplacedAndItsModeKept) {
  const std::string path = Write("old", "a longer content than the new one");
  ASSERT_EQ(chmod(path.c_str(), 0604), 0);
  EXPECT_TRUE(WriteFile(path, "new").ok());
  EXPECT_EQ(Read("old"), "new");
  EXPECT_EQ(ModeOf(path) & 07777, 0604u);
  EXPECT_THAT(Names(), ElementsAre("old"));
}

TEST_F(WriteFileTest, NothingCanBeWritten) {
  EXPECT_TRUE(WriteFile(Write("old", "something"), "").ok());
  EXPECT_EQ(Read("old"), "");
}

TEST_F(WriteFileTest, LinksAreFollowed) {
  ASSERT_EQ(mkdir(Path("folder").c_str(), 0700), 0);
  Write("folder/target", "old");
  ASSERT_EQ(symlink("folder/target", Path("link").c_str()), 0);
  ASSERT_EQ(symlink(Path("link").c_str(), Path("chain").c_str()), 0);
  ASSERT_EQ(symlink("folder/new", Path("dangling").c_str()), 0);
  EXPECT_TRUE(WriteFile(Path("chain"), "one").ok());
  EXPECT_TRUE(WriteFile(Path("dangling"), "two").ok());
  EXPECT_EQ(Read("folder/target"), "one");
  EXPECT_EQ(Read("folder/new"), "two");
  for (const char* name : {"link", "chain", "dangling"}) {
    EXPECT_TRUE(S_ISLNK(ModeOf(Path(name)))) << name;
  }
}

TEST_F(WriteFileTest, LinksInACircleAreRefused) {
  ASSERT_EQ(symlink("b", Path("a").c_str()), 0);
  ASSERT_EQ(symlink("a", Path("b").c_str()), 0);
  EXPECT_EQ(
      MessageOf(WriteFile(Path("a"), "")),
      absl::StrCat(
          Path("a"),
          ": cannot read its attributes: Too many levels of symbolic links"));
}

TEST_F(WriteFileTest, AFullDeviceIsAnError) {
  const absl::Status status = WriteFile("/dev/full", "content");
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(MessageOf(status),
            "/dev/full: cannot write it: No space left on device");
  EXPECT_TRUE(S_ISCHR(ModeOf("/dev/full")));
}

// Limits the size of files during the lifetime of the object, so writing fails
// as on a full disk. Also installs the given handler for SIGXFSZ.
class FileSizeLimited {
 public:
  FileSizeLimited(rlim_t bytes, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGXFSZ, &action, &action_before_);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimited() {
    setrlimit(RLIMIT_FSIZE, &before_);
    sigaction(SIGXFSZ, &action_before_, nullptr);
  }
  FileSizeLimited(const FileSizeLimited&) = delete;
  FileSizeLimited& operator=(const FileSizeLimited&) = delete;

 private:
  struct sigaction action_before_ = {};
  rlimit before_ = {};
};

// If a file exceeds the limit, write() returns an error and raises a signal,
// which would terminate the program by default.
TEST_F(WriteFileTest, AFailureLeavesTheOldFileAndNoOther) {
  const std::string path = Write("old", "old content");
  absl::Status status;
  {
    const FileSizeLimited limited(1000, SIG_IGN);
    status = WriteFile(path, std::string(2000, 'x'));
  }
  EXPECT_EQ(MessageOf(status),
            absl::StrCat(path, ": cannot write it: File too large"));
  EXPECT_EQ(Read("old"), "old content");
  EXPECT_THAT(Names(), ElementsAre("old"));
}

// Returns the signals of a mask.
std::vector<int> SignalsOf(const sigset_t& mask) {
  std::vector<int> signals;
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&mask, signal) == 1) signals.push_back(signal);
  }
  return signals;
}

// Returns the signals that the calling thread blocks.
std::vector<int> BlockedSignals() {
  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return SignalsOf(mask);
}

// A signal handler must neither allocate memory nor change errno, so the masks
// are stored here.
constexpr size_t kMostHandled = 8;
sigset_t masks_in_handler[kMostHandled];
size_t handled = 0;

void KeepMask(int /*signal*/) {
  const int saved = errno;
  if (handled < kMostHandled) {
    pthread_sigmask(SIG_SETMASK, nullptr, &masks_in_handler[handled++]);
  }
  errno = saved;
}

// The library must not change how signals are handled, because this belongs to
// the program. The handler runs in the middle of a write and sees the signal
// mask at that moment.
TEST_F(WriteFileTest, TheSignalMaskIsNeverChanged) {
  sigset_t some;
  sigset_t before;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &some, &before), 0);
  const std::vector<int> expected = BlockedSignals();
  handled = 0;
  {
    const FileSizeLimited limited(1000, KeepMask);
    EXPECT_FALSE(WriteFile(Path("new"), std::string(2000, 'x')).ok());
    EXPECT_FALSE(WriteFileInPieces(Path("new"), [&](const WriteText& write) {
                   EXPECT_EQ(BlockedSignals(), expected);
                   return write(std::string(2000, 'x'));
                 }).ok());
  }
  EXPECT_GE(handled, 2u);
  for (size_t i = 0; i < handled; ++i) {
    EXPECT_EQ(SignalsOf(masks_in_handler[i]), expected);
  }
  EXPECT_EQ(BlockedSignals(), expected);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(WriteFileTest, WhereNoFileCanBeIsAnError) {
  const std::string folder = Path("");
  EXPECT_TRUE(absl::IsFailedPrecondition(WriteFile(folder, "")));
  EXPECT_EQ(MessageOf(WriteFile(folder, "")),
            absl::StrCat(folder, ": a folder; expected a file"));
  const std::string nowhere = Path("no/such/folder");
  EXPECT_TRUE(absl::IsNotFound(WriteFile(nowhere, "")));
  EXPECT_EQ(
      MessageOf(WriteFile(nowhere, "")),
      absl::StrCat(
          nowhere,
          ": cannot create a file in its folder: No such file or directory"));
  const std::string below = Write("file", "") + "/below";
  EXPECT_EQ(
      MessageOf(WriteFile(below, "")),
      absl::StrCat(below, ": cannot read its attributes: Not a directory"));
}

TEST_F(WriteFileTest, AProtectedFileStays) {
  const support::Unprivileged user({Path("")});
  if (!user.is_in_effect()) GTEST_SKIP() << "root may write every file";
  const std::string path = Write("protected", "old");
  ASSERT_EQ(chmod(path.c_str(), 0400), 0);
  EXPECT_EQ(MessageOf(WriteFile(path, "new")),
            absl::StrCat(path, ": cannot write it: Permission denied"));
  EXPECT_EQ(Read("protected"), "old");
}

TEST_F(WriteFileTest, APipeStaysAPipe) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string received(100, '\0');
  std::thread reader([&] {
    const int fd = open(path.c_str(), O_RDONLY);
    const ssize_t count = read(fd, received.data(), received.size());
    received.resize(count < 0 ? 0 : static_cast<size_t>(count));
    close(fd);
  });
  EXPECT_TRUE(WriteFile(path, "content").ok());
  reader.join();
  EXPECT_EQ(received, "content");
  EXPECT_TRUE(S_ISFIFO(ModeOf(path)));
}

TEST_F(WriteFileTest, StandardOutputIsAppendedTo) {
  const std::string path = Write("output", "before\n");
  const int file = open(path.c_str(), O_WRONLY | O_APPEND);
  absl::Status statuses[2];
  {
    const StreamReplaced output(STDOUT_FILENO, file);
    statuses[0] = WriteFile("-", "one\n");
    statuses[1] = WriteFile("/dev/stdout", "two\n");
  }
  close(file);
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_TRUE(statuses[1].ok()) << statuses[1];
  EXPECT_EQ(Read("output"), "before\none\ntwo\n");
}

TEST_F(WriteFileTest, AFullStandardOutputIsAnError) {
  const int file = open("/dev/full", O_WRONLY);
  absl::Status status;
  {
    const StreamReplaced output(STDOUT_FILENO, file);
    status = WriteFile("-", "content");
  }
  close(file);
  EXPECT_EQ(MessageOf(status),
            "<stdout>: cannot write it: No space left on device");
}

// Removes the temporary file and terminates the program, as a signal handler
// should.
void EndWithoutTemporaryFile(int signal) {
  const int saved = errno;
  RemoveTemporaryFile();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  errno = saved;
}

constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP};

// A child process writes the file repeatedly. A signal terminates the child at
// a different moment in each iteration.
TEST_F(WriteFileTest, EndingTheProgramLeavesAWholeFileAndNoOther) {
  const std::string path = Write("file", "old");
  const std::string content(100'000, 'x');
  // A shell may have made the program ignore SIGINT. The signal would then be
  // lost if it arrived before the child installed its handler.
  for (const int signal : kEndSignals) std::signal(signal, SIG_DFL);
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (const int signal : kEndSignals) {
        std::signal(signal, EndWithoutTemporaryFile);
      }
      while (WriteFile(path, content).ok()) {
      }
      _exit(1);
    }
    usleep(static_cast<useconds_t>(1000 + 337 * i));
    ASSERT_EQ(kill(child, kEndSignals[i % 3]), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_THAT(Names(), ElementsAre("file"));
    const std::string found = Read("file");
    ASSERT_TRUE(found == content || found == "old");
  }
}

TEST_F(WriteFileTest, PiecesAreWrittenInOrder) {
  EXPECT_TRUE(WriteFileInPieces(Path("new"), [](const WriteText& write) {
                EXPECT_TRUE(write("one, ").ok());
                EXPECT_TRUE(write("").ok());
                return write("two");
              }).ok());
  EXPECT_EQ(Read("new"), "one, two");
  EXPECT_THAT(Names(), ElementsAre("new"));
}

TEST_F(WriteFileTest, AFailureBetweenPiecesLeavesTheOldFile) {
  const std::string path = Write("old", "old content");
  const absl::Status status =
      WriteFileInPieces(path, [](const WriteText& write) {
        EXPECT_TRUE(write("half").ok());
        return absl::DataLossError("no more of it");
      });
  EXPECT_EQ(status, absl::DataLossError("no more of it"));
  EXPECT_EQ(Read("old"), "old content");
  EXPECT_THAT(Names(), ElementsAre("old"));
}

// Writing in pieces may take a program a long time. A signal terminates the
// program immediately, after the temporary file has been removed.
TEST_F(WriteFileTest, ASignalEndsWritingInPieces) {
  for (const int signal : kEndSignals) {
    const std::string path = Write("old", "old content");
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, EndWithoutTemporaryFile);
      WriteFileInPieces(path, [](const WriteText& write) {
        absl::Status status;
        while (status.ok()) status = write("x");
        return status;
      }).IgnoreError();
      _exit(1);
    }
    while (Names().size() < 2) usleep(1000);
    ASSERT_EQ(kill(child, signal), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Read("old"), "old content");
    EXPECT_THAT(Names(), ElementsAre("old"));
  }
}

}  // namespace
}  // namespace stowage
