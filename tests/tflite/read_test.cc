// SPDX-License-Identifier: Apache-2.0
// Tests that files, pipes and standard input are read as traces, and that
// folders are refused.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/example_model.h"
#include "tests/support/temp_folder.h"
#include "tests/support/unprivileged.h"

namespace stowage {
namespace {

using testing::ElementsAre;

constexpr char kCsv[] = "id,lower,upper,size\na,0,1,4\n";

template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

// Writes `content` to a pipe until all of it is written or the reader is gone.
// Returns the number of bytes written.
size_t WriteTo(int fd, absl::string_view content) {
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t count =
        write(fd, content.data() + written, content.size() - written);
    if (count < 0) break;
    written += static_cast<size_t>(count);
  }
  close(fd);
  return written;
}

absl::StatusOr<ProblemFile> ReadTrace(const std::string& path,
                                      const CsvOptions& csv = {},
                                      const ModelTraceOptions& model = {}) {
  return ReadProblemFile(path, {csv, {ModelFormat(model)}});
}

class ReadTraceTest : public TempFolderTest {
 protected:
  // A broken pipe must be an error of write() and must not terminate the
  // program.
  ReadTraceTest() { std::signal(SIGPIPE, SIG_IGN); }
};

TEST_F(ReadTraceTest, ModelsAndTextAreToldApartByContent) {
  const std::string text = Write("trace", kCsv);
  EXPECT_THAT(ReadTrace(text).value().problem.names, ElementsAre("a"));
  const std::string model = Write("model", Build(ExampleModel()));
  EXPECT_THAT(ReadTrace(model).value().problem.names, ElementsAre("3", "4"));
  EXPECT_EQ(ReadModelTrace(model).value().folded_bytes, 16);
}

TEST_F(ReadTraceTest, TheNameOfAModelIsAPromise) {
  const std::string zip = Write("zip.tflite", "PK\x03\x04 and so on");
  EXPECT_EQ(
      MessageOf(ReadTrace(zip)),
      absl::StrCat(zip,
                   ": not a TensorFlow Lite model: it is a ZIP "
                   "archive, as .task bundles, .keras, .npz and .pt files "
                   "are; expected a .tflite file"));
  const std::string page = Write("page.tflite", "<!DOCTYPE html>\n");
  EXPECT_EQ(MessageOf(ReadTrace(page)),
            absl::StrCat(page,
                         ": not a TensorFlow Lite model: it is a web page; "
                         "expected a .tflite file"));
  const std::string empty = Write("empty.tflite", "");
  EXPECT_EQ(MessageOf(ReadTrace(empty)),
            absl::StrCat(empty, ": not a TensorFlow Lite model: it is empty"));
  const std::string cut =
      Write("cut.tflite", Build(ExampleModel()).substr(0, 400));
  EXPECT_EQ(MessageOf(ReadTrace(cut)),
            absl::StrCat(cut,
                         ": a TensorFlow Lite model that is truncated or "
                         "damaged: not a valid flatbuffer"));
}

TEST_F(ReadTraceTest, OnlyModelsAreReadAsModels) {
  const std::string text = Write("trace.csv", kCsv);
  EXPECT_EQ(MessageOf(ReadModelTrace(text)),
            absl::StrCat(text,
                         ": not a TensorFlow Lite model: bytes 4 to 7 "
                         "are \"ower\"; expected \"TFL3\""));
}

TEST_F(ReadTraceTest, AnEmptyFileHasNoRecords) {
  EXPECT_TRUE(
      ReadTrace(Write("empty.csv", "")).value().problem.records.empty());
}

TEST_F(ReadTraceTest, OptionsReachBothReaders) {
  CsvOptions csv;
  ModelTraceOptions model;
  csv.ignore_unknown_columns = true;
  model.include_io = true;
  EXPECT_TRUE(ReadTrace(Write("t", "id,lower,upper,size,x\n"), csv).ok());
  EXPECT_THAT(ReadTrace(Write("m", Build(ExampleModel())), csv, model)
                  .value()
                  .problem.names,
              ElementsAre("0", "3", "4", "5"));
}

TEST_F(ReadTraceTest, WhatCannotBeOpenedIsNamed) {
  const std::string missing = Path("missing");
  EXPECT_TRUE(absl::IsNotFound(ReadTrace(missing).status()));
  EXPECT_EQ(MessageOf(ReadTrace(missing)),
            absl::StrCat(missing,
                         ": cannot open it: No such file or "
                         "directory"));
  EXPECT_TRUE(absl::IsNotFound(ReadModelTrace(missing).status()));
  const std::string folder = Path("");
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadTrace(folder).status()));
  EXPECT_EQ(MessageOf(ReadModelTrace(folder)),
            absl::StrCat(folder, ": a folder; expected a file"));
}

TEST_F(ReadTraceTest, WhatMayNotBeReadIsNamed) {
  const support::Unprivileged user({Path("")});
  if (!user.is_in_effect()) GTEST_SKIP() << "root may read every file";
  const std::string secret = Write("secret", kCsv);
  ASSERT_EQ(chmod(secret.c_str(), 0), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(ReadTrace(secret).status()));
  EXPECT_EQ(MessageOf(ReadTrace(secret)),
            absl::StrCat(secret, ": cannot open it: Permission denied"));
}

TEST_F(ReadTraceTest, PipesAreRead) {
  for (const std::string& content :
       {std::string(kCsv), Build(ExampleModel())}) {
    const std::string path = Path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { WriteTo(open(path.c_str(), O_WRONLY), content); });
    const absl::StatusOr<ProblemFile> trace = ReadTrace(path);
    writer.join();
    unlink(path.c_str());
    EXPECT_TRUE(trace.ok()) << trace.status();
    EXPECT_FALSE(trace->problem.records.empty());
  }
}

TEST_F(ReadTraceTest, StandardInputIsRead) {
  for (const std::string& content :
       {std::string(kCsv), Build(ExampleModel())}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    WriteTo(ends[1], content);
    const StreamReplaced input(STDIN_FILENO, ends[0]);
    const absl::StatusOr<ProblemFile> trace = ReadTrace("-");
    close(ends[0]);
    EXPECT_TRUE(trace.ok()) << trace.status();
    EXPECT_FALSE(trace->problem.records.empty());
  }
}

TEST_F(ReadTraceTest, StandardInputHasAName) {
  const int file = open(Write("t", "x\n").c_str(), O_RDONLY);
  const StreamReplaced input(STDIN_FILENO, file);
  close(file);
  EXPECT_EQ(MessageOf(ReadTrace("-")),
            "<stdin>:1: no header: the first row starts with \"x\"; expected "
            "the columns id, lower, upper and size");
}

TEST_F(ReadTraceTest, EndlessFilesAreRefusedAtOnce) {
  EXPECT_EQ(MessageOf(ReadTrace("/dev/zero")),
            "/dev/zero:1: a NUL byte: not UTF-8 text");
  EXPECT_EQ(MessageOf(ReadModelTrace("/dev/zero")),
            "/dev/zero: not a TensorFlow Lite model: bytes 4 to 7 are "
            "\"\\000\\000\\000\\000\"; expected \"TFL3\"");
}

TEST_F(ReadTraceTest, AGibibyteOfNulsIsRefusedAtOnce) {
  const std::string path = Write("nuls.csv", "");
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 30), 0);
  EXPECT_EQ(MessageOf(ReadTrace(path)),
            absl::StrCat(path, ":1: a NUL byte: not UTF-8 text"));
}

TEST_F(ReadTraceTest, ALineOfAGibibyteIsNotReadToItsEnd) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  size_t written = 0;
  std::thread writer([&] {
    const std::string part(size_t{1} << 20, 'a');
    const int fd = open(path.c_str(), O_WRONLY);
    for (int i = 0; i < 1024; ++i) {
      const size_t count = WriteTo(dup(fd), part);
      written += count;
      if (count < part.size()) break;
    }
    close(fd);
  });
  const absl::StatusOr<ProblemFile> trace = ReadTrace(path);
  writer.join();
  EXPECT_EQ(MessageOf(trace),
            absl::StrCat(path, ":1: longer than 1048576 bytes"));
  EXPECT_LT(written, size_t{4} << 20);
}

}  // namespace
}  // namespace stowage
