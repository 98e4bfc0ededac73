// SPDX-License-Identifier: Apache-2.0
// Tests broken files. Every verb prints a single line that names the place of
// the error, exits with code 3, and leaves standard output empty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"
#include "tests/support/unprivileged.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct BadInput {
  const char* name;
  std::string prepare;  // a shell command that makes `path`
  std::string path;
  std::string place;  // the message starts with this
};

std::string Printf(absl::string_view content) {
  return absl::StrCat("printf '", content, "' > in.csv");
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsOneLineAndExitCode3) {
  const CommandFolder folder;
  folder.Write("good.csv", "id,lower,upper,size\na,0,1,4\n");
  ASSERT_EQ(folder.Run(GetParam().prepare).exit_code, 0);
  const std::string before = folder.List();
  const std::string& path = GetParam().path;
  for (const std::string& verb :
       {absl::StrCat("bounds ", path),
        absl::StrCat("plan ", path, " --strategy naive"),
        absl::StrCat("plan ", path, " --strategy naive -o out.csv"),
        absl::StrCat("plan ", path, " --strategy naive --format json"),
        absl::StrCat("verify good.csv ", path),
        absl::StrCat("verify ", path, " good.csv --format json")}) {
    SCOPED_TRACE(verb);
    const CommandResult result = folder.Run("stowage " + verb);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith(GetParam().place));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << result.err;
  }
  EXPECT_EQ(folder.List(), before);
}

// A bad file is reported, but the other inputs are still compared.
TEST_P(BadInputTest, IsNamedAtTheEndOfAComparison) {
  const CommandFolder folder;
  folder.Write("good.csv", "id,lower,upper,size\na,0,1,4\n");
  ASSERT_EQ(folder.Run(GetParam().prepare).exit_code, 0);
  const CommandResult result = folder.Run(absl::StrCat(
      "stowage compare ", GetParam().path, " good.csv --strategies naive"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, StartsWith("good.csv: 1 record"));
  EXPECT_THAT(result.out, HasSubstr("\nnot compared: "));
  EXPECT_THAT(result.err, StartsWith(GetParam().place));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
      << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputTest,
    testing::ValuesIn<BadInput>({
        {"NoSuchFile", "true", "in.csv", "in.csv: "},
        {"NoName", "true", "''", "\"\": cannot open it: "},
        {"Folder", "mkdir in.csv", "in.csv", "in.csv: "},
        {"LinkToItself", "ln -s in.csv in.csv", "in.csv", "in.csv: "},
        {"ReadError", "true", "/proc/self/mem", "/proc/self/mem: "},
        {"NoHeader", Printf("a,0,1,4\\n"), "in.csv", "in.csv:1: "},
        {"MissingColumn", Printf("id,lower,upper\\na,0,1\\n"), "in.csv",
         "in.csv:1: "},
        {"UnknownColumn", Printf("id,lower,upper,size,x\\na,0,1,4,5\\n"),
         "in.csv", "in.csv:1: "},
        {"RepeatedColumn", Printf("id,lower,upper,size,id\\na,0,1,4,a\\n"),
         "in.csv", "in.csv:1: "},
        {"ShortRow", Printf("id,lower,upper,size\\na,0,1\\n"), "in.csv",
         "in.csv:2: "},
        {"LongRow", Printf("id,lower,upper,size\\n\\na,0,1,2,3\\n"), "in.csv",
         "in.csv:3: "},
        {"RepeatedId", Printf("id,lower,upper,size\\na,0,1,4\\na,1,2,4\\n"),
         "in.csv", "in.csv:3: "},
        {"EmptyInterval", Printf("id,lower,upper,size\\na,1,1,4\\n"), "in.csv",
         "in.csv:2: "},
        {"ReversedInterval", Printf("id,lower,upper,size\\na,2,1,4\\n"),
         "in.csv", "in.csv:2: "},
        {"Exponent", Printf("id,lower,upper,size\\na,0,1,1e3\\n"), "in.csv",
         "in.csv:2: "},
        {"Negative", Printf("id,lower,upper,size\\na,0,1,-1\\n"), "in.csv",
         "in.csv:2: "},
        {"Fraction", Printf("id,lower,upper,size\\na,0,1,1.5\\n"), "in.csv",
         "in.csv:2: "},
        {"TwoToThe64",
         Printf("id,lower,upper,size\\na,0,1,18446744073709551616\\n"),
         "in.csv", "in.csv:2: "},
        {"SumBeyond64Bits",
         Printf("id,lower,upper,size\\na,0,1,18446744073709551615\\n"
                "b,5,6,1\\n"),
         "in.csv", "in.csv: id 'b': record 1: "},
        {"AlignmentOfThree",
         Printf("id,lower,upper,size,alignment\\na,0,1,4,3\\n"), "in.csv",
         "in.csv:2: "},
        {"AlignmentOfZero",
         Printf("id,lower,upper,size,alignment\\na,0,1,4,0\\n"), "in.csv",
         "in.csv:2: "},
        {"OpenQuote", Printf("id,lower,upper,size\\n\"a,0,1,4\\n"), "in.csv",
         "in.csv:2: "},
        {"Nuls", "head -c 4096 /dev/zero > in.csv", "in.csv", "in.csv:1: "},
        {"LineOfAGibibyteOfNuls", "truncate -s 1G in.csv", "in.csv",
         "in.csv:1: "},
        {"EndlessLine", "true", "/dev/zero", "/dev/zero:1: "},
        {"EmptyModel", ": > in.tflite", "in.tflite", "in.tflite: "},
        {"ZipModel", "printf 'PK\\003\\004' > in.tflite", "in.tflite",
         "in.tflite: "},
        {"Onnx", Printf("\\010\\007\\022\\007pytorch"), "in.csv",
         "in.csv: is damaged or cut; expected the whole of an ONNX model"},
        {"ExecuTorch", Printf("\\040\\000\\000\\000ET12\\000\\000"), "in.csv",
         "in.csv: an ExecuTorch program that is truncated or damaged"},
        {"Gguf", Printf("GGUF\\003\\000\\000\\000"), "in.csv",
         "in.csv: it is a GGUF model; stowage reads "},
        {"Gzip", Printf("\\037\\213\\010"), "in.csv",
         "in.csv: it is compressed by gzip; stowage reads compressed "},
        {"HtmlModel", "echo '<html>' > in.tflite", "in.tflite", "in.tflite: "},
        {"RandomModel", "printf 'abcdTFL3 and what not' > in.tflite",
         "in.tflite", "in.tflite: "},
        {"RandomModelByAnotherName", "printf 'abcdTFL3 and what not' > in.csv",
         "in.csv", "in.csv: "},
    }),
    [](const auto& test) { return test.param.name; });

TEST(BadInput, UnreadableFile) {
  const CommandFolder folder;
  const support::Unprivileged user({folder.path(), folder.path() + "/desk"});
  if (!user.is_in_effect()) GTEST_SKIP() << "root can read every file";
  if (access(STOWAGE_BINARY_DIR "/stowage", X_OK) != 0) {
    GTEST_SKIP() << "others than root cannot run the command";
  }
  folder.Write("in.csv", "id,lower,upper,size\n");
  const CommandResult result =
      folder.Run("chmod 0 in.csv; stowage bounds in.csv");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("in.csv: "));
}

TEST(BadInput, LineOfAGibibyte) {
  const CommandFolder folder;
  const CommandResult result = folder.Run(
      "head -c 1073741824 /dev/zero | tr '\\0' a | stowage bounds -");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(":1: "));
}

TEST(BadInput, OddButValidFiles) {
  const CommandFolder folder;
  for (const char* content : {"", "\\n", "# nothing\\n", "id,lower,upper,size",
                              "id,lower,upper,size\\r\\na,0,1,4\\r\\n",
                              "size,upper,lower,id\\n# c\\n\\n4,1,0,a\\n",
                              "id,lower,upper,size\\n\"a, \"\"b\"\"\",0,1,4\\n",
                              "id,lower,upper,size,offset\\na,0,1,4,0\\n"}) {
    SCOPED_TRACE(content);
    EXPECT_EQ(folder.Run(Printf(content)).exit_code, 0);
    const CommandResult result = folder.Run("stowage bounds in.csv");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
  }
}

// Options that have no effect on a recording are reported.
TEST(BadInput, OptionsOfRecordings) {
  const CommandFolder folder;
  folder.Write("log", "= Start\n@ a:[0x1] + 0x10 0x8\n@ a:[0x1] - 0x10\n");
  const CommandResult streams = folder.Run("stowage trace log --streams 2");
  EXPECT_EQ(streams.exit_code, 2);
  EXPECT_THAT(streams.err, HasSubstr("--streams: has no effect on log"));
  EXPECT_THAT(folder.Run("stowage trace log --names").err,
              HasSubstr("log: mtrace: 1 record, without names"));
  const CommandResult twice =
      folder.Run("stowage trace log --dim a=1 --dim a=2");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--dim: 'a=2'; expected the extent 1"));
}

// The command reports every bad model in a folder on a separate line.
TEST(BadInput, ModelsWithOneBytePerModelChanged) {
  const CommandFolder folder;
  const std::string model = ReadWholeFile(STOWAGE_TINY_MODEL);
  ASSERT_GT(model.size(), 100U);
  for (size_t i = 0; i < model.size(); ++i) {
    std::string changed = model;
    changed[i] = static_cast<char>(~changed[i]);
    folder.Write(absl::StrCat("changed", i, ".tflite"), changed);
  }
  const CommandResult result =
      folder.Run("stowage compare . --strategies naive --format json");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(absl::StartsWith(result.out, "{\"rows\":"));
  for (const absl::string_view line :
       absl::StrSplit(result.err, '\n', absl::SkipEmpty())) {
    EXPECT_TRUE(absl::StartsWith(line, "./changed")) << line;
    EXPECT_TRUE(absl::StrContains(line, ".tflite: ")) << line;
  }
}

}  // namespace
}  // namespace stowage::cli
