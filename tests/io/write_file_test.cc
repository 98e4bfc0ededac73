// SPDX-License-Identifier: Apache-2.0
// Tests that files are written as a whole or not at all.

#include "stowage/io/write_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <thread>

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
  EXPECT_EQ(MessageOf(WriteFile(Path("a"), "")),
            absl::StrCat(Path("a"),
                         ": cannot look at it: Too many levels of "
                         "symbolic links"));
}

TEST_F(WriteFileTest, AFullDeviceIsAnError) {
  const absl::Status status = WriteFile("/dev/full", "content");
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(MessageOf(status),
            "/dev/full: cannot write it: No space left on device");
  EXPECT_TRUE(S_ISCHR(ModeOf("/dev/full")));
}

// Limits the size of files while an object of this class exists, so that
// writing fails as on a full disk, and installs the given handler of SIGXFSZ.
class FileSizeLimited {
 public:
  FileSizeLimited(rlim_t bytes, void (*handler)(int))
      : handler_(std::signal(SIGXFSZ, handler)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimited() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimited(const FileSizeLimited&) = delete;
  FileSizeLimited& operator=(const FileSizeLimited&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

// If a file exceeds the limit, write() returns an error, and a signal is raised
// that would end the program by default.
TEST_F(WriteFileTest, AFailureLeavesTheOldFileAndNoOther) {
  const std::string path = Write("old", "old content");
  for (void (*handler)(int) : {SIG_DFL, SIG_IGN}) {
    absl::Status status;
    {
      const FileSizeLimited limited(1000, handler);
      status = WriteFile(path, std::string(2000, 'x'));
    }
    EXPECT_EQ(MessageOf(status),
              absl::StrCat(path, ": cannot write it: File too large"));
    EXPECT_EQ(Read("old"), "old content");
    EXPECT_THAT(Names(), ElementsAre("old"));
  }
}

TEST_F(WriteFileTest, AFailureLeavesTheSignalsAsTheyWere) {
  sigset_t before;
  sigset_t after;
  sigset_t pending;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  {
    const FileSizeLimited limited(1000, SIG_DFL);
    EXPECT_FALSE(WriteFile(Path("new"), std::string(2000, 'x')).ok());
  }
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  ASSERT_EQ(sigpending(&pending), 0);
  for (const int signal : {SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal));
    EXPECT_EQ(sigismember(&pending, signal), 0) << signal;
  }
}

TEST_F(WriteFileTest, WhereNoFileCanBeIsAnError) {
  const std::string folder = Path("");
  EXPECT_TRUE(absl::IsFailedPrecondition(WriteFile(folder, "")));
  EXPECT_EQ(MessageOf(WriteFile(folder, "")),
            absl::StrCat(folder, ": a folder; expected a file"));
  const std::string nowhere = Path("no/such/folder");
  EXPECT_TRUE(absl::IsNotFound(WriteFile(nowhere, "")));
  EXPECT_EQ(MessageOf(WriteFile(nowhere, "")),
            absl::StrCat(nowhere,
                         ": cannot make a file in its folder: No such "
                         "file or directory"));
  const std::string below = Write("file", "") + "/below";
  EXPECT_EQ(MessageOf(WriteFile(below, "")),
            absl::StrCat(below, ": cannot look at it: Not a directory"));
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

// A child process writes the file again and again, and a signal ends it at
// different moments.
TEST_F(WriteFileTest, EndingTheProgramLeavesAWholeFileAndNoOther) {
  const std::string path = Write("file", "old");
  const std::string content(100'000, 'x');
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      while (WriteFile(path, content).ok()) {
      }
      _exit(1);
    }
    usleep(static_cast<useconds_t>(1000 + 337 * i));
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    ASSERT_EQ(kill(child, signals[i % 3]), 0);
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

// A program that writes in pieces can be interrupted between them. Before the
// signal ends the program, the temporary file is removed.
TEST_F(WriteFileTest, ASignalEndsWritingInPieces) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string path = Write("old", "old content");
    const pid_t child = fork();
    if (child == 0) {
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
