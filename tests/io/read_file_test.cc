// SPDX-License-Identifier: Apache-2.0
// Tests that files are read completely, and that files longer than the limit
// are refused.
#include "stowage/io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/write_file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using support::FailsWith;
using testing::StartsWith;

class ReadFileTest : public TempFolderTest {};

TEST_F(ReadFileTest, ReadsTheWholeFile) {
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  for (const std::string& content : {std::string(), every_byte}) {
    EXPECT_EQ(*ReadFile(Write("file", content)), content);
  }
}

// Files are read in pieces of 2^20 + 1 bytes.
TEST_F(ReadFileTest, ReadsFilesOfSeveralPieces) {
  for (const size_t size : {(1U << 20) - 1, 1U << 20, (1U << 20) + 1,
                            (1U << 20) + 2, (3U << 20) + 7}) {
    std::string content(size, 'x');
    content.back() = 'y';
    EXPECT_TRUE(*ReadFile(Write("file", content)) == content) << size;
    EXPECT_TRUE(*ReadFile(Path("file"), size) == content) << size;
    EXPECT_FALSE(ReadFile(Path("file"), size - 1).ok()) << size;
  }
}

TEST_F(ReadFileTest, RefusesFilesThatAreTooLong) {
  const std::string path = Write("file", "abcd");
  EXPECT_EQ(*ReadFile(path, 4), "abcd");
  EXPECT_THAT(
      ReadFile(path, 3),
      FailsWith(absl::StatusCode::kOutOfRange,
                absl::StrCat(path, ": too long; expected at most 3 bytes")));
  EXPECT_THAT(
      ReadFile(path, 0),
      FailsWith(absl::StatusCode::kOutOfRange,
                absl::StrCat(path, ": too long; expected at most 0 bytes")));
  EXPECT_EQ(*ReadFile(Write("empty", ""), 0), "");
}

TEST_F(ReadFileTest, EndsOnFilesWithoutEnd) {
  EXPECT_THAT(ReadFile("/dev/zero", 3 << 20),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "/dev/zero: too long; expected at most 3145728 bytes"));
}

TEST_F(ReadFileTest, ReadsAPipeToItsEnd) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer(
      [&path] { EXPECT_TRUE(WriteFile(path, std::string(200000, 'x')).ok()); });
  const absl::StatusOr<std::string> content = ReadFile(path);
  writer.join();
  EXPECT_EQ(*content, std::string(200000, 'x'));
}

TEST_F(ReadFileTest, ReadsStandardInput) {
  const int file = open(Write("file", "content").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  absl::StatusOr<std::string> content;
  absl::Status too_long;
  {
    const StreamReplaced input(STDIN_FILENO, file);
    content = ReadFile("-");
    EXPECT_EQ(lseek(STDIN_FILENO, 0, SEEK_SET), 0);
    too_long = ReadFile("-", 6).status();
  }
  close(file);
  EXPECT_EQ(*content, "content");
  EXPECT_THAT(too_long,
              FailsWith(absl::StatusCode::kOutOfRange,
                        "<stdin>: too long; expected at most 6 bytes"));
}

TEST_F(ReadFileTest, TellsWhatTheSystemReports) {
  const std::string none = Path("none");
  EXPECT_THAT(ReadFile(none),
              FailsWith(absl::StatusCode::kNotFound,
                        StartsWith(absl::StrCat(none, ": cannot open it"))));
  const std::string folder = Path("");
  EXPECT_THAT(ReadFile(folder),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        absl::StrCat(folder, ": a folder; expected a file")));
}

}  // namespace
}  // namespace stowage
