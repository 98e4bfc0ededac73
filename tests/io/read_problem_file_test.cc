// SPDX-License-Identifier: Apache-2.0
// Tests that the content of a file determines its format, both for formats in
// the library's table and for formats that the caller adds.
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using support::FailsWith;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCsv[] = "id,lower,upper,size\na,0,1,4\n";
constexpr char kJson[] =
    R"( {"records":[{"id":"b","size":4,"lower":0,"upper":2}]})";

// Returns a format for files that begin with '%'. The rest of the file is the
// id of its only record.
FileFormat OneId() {
  FileFormat format;
  format.name = "one id";
  format.detect = [](absl::string_view start, const std::string& path) {
    return absl::StartsWith(start, "%") || absl::EndsWith(path, ".one");
  };
  format.parse = [](absl::string_view bytes,
                    absl::string_view name) -> absl::StatusOr<ProblemFile> {
    if (bytes.size() < 2) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": no id"));
    }
    ProblemFile file;
    file.problem.names = {std::string(bytes.substr(1))};
    file.problem.records = {{1, 0, 0}};
    file.note = "from one id";
    return file;
  };
  return format;
}

class ReadProblemFileTest : public TempFolderTest {};

TEST_F(ReadProblemFileTest, FindsTheFormatByContent) {
  const struct {
    const char* name;
    const char* content;
    const char* format;
    const char* id;
  } cases[] = {{"a", kCsv, "csv", "a"},
               {"b.csv", kJson, "json", "b"},
               {"c.json", "%c", "one id", "c"},
               {"d.one", "+d", "one id", "d"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string format;
    const absl::StatusOr<ProblemFile> file =
        ReadProblemFile(Write(c.name, c.content), {{}, {OneId()}, &format});
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(format, c.format);
    EXPECT_EQ(file->problem.records.size(), 1);
    EXPECT_THAT(file->problem.names, ElementsAre(c.id));
    EXPECT_EQ(file->note, format == "one id" ? "from one id" : "");
  }
}

TEST_F(ReadProblemFileTest, AFormatSeesAllBytesThatItNeeds) {
  FileFormat late = OneId();
  late.start_bytes = 4096;
  late.detect = [](absl::string_view start, const std::string& /*path*/) {
    return absl::EndsWith(start.substr(0, 4096), "%");
  };
  std::string format;
  const std::string content = std::string(4095, '+') + "%+";
  EXPECT_TRUE(
      ReadProblemFile(Write("late", content), {{}, {late}, &format}).ok());
  EXPECT_EQ(format, "one id");
}

TEST_F(ReadProblemFileTest, SaysTheFormatOfAFileThatIsBroken) {
  std::string format;
  const FileOptions options = {{}, {OneId()}, &format};
  const std::string one = Write("one", "%");
  EXPECT_THAT(ReadProblemFile(one, options),
              FailsWith(absl::StatusCode::kInvalidArgument, one + ": no id"));
  EXPECT_EQ(format, "one id");
  EXPECT_FALSE(ReadProblemFile(Write("json", "{"), options).ok());
  EXPECT_EQ(format, "json");
  EXPECT_FALSE(ReadProblemFile(Write("csv", "id\n"), options).ok());
  EXPECT_EQ(format, "csv");
}

TEST_F(ReadProblemFileTest, NamesFormatsThatAreNotRead) {
  std::string format;
  EXPECT_THAT(ReadProblemFile(Write("a.csv", "PK\x03\x04 and so on"),
                              {{}, {}, &format}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("it is a ZIP archive")));
  EXPECT_EQ(format, "other");
}

TEST_F(ReadProblemFileTest, KnowsNoFormatOfWhatCannotBeOpened) {
  std::string format;
  EXPECT_TRUE(absl::IsNotFound(
      ReadProblemFile(Path("missing"), {{}, {OneId()}, &format}).status()));
  EXPECT_EQ(format, "");
}

}  // namespace
}  // namespace stowage
