// SPDX-License-Identifier: Apache-2.0
// Tests the option --progress, which makes a search report its progress to
// programs as lines of JSON.
#include "src/command/progress_lines.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "src/command/json.h"
#include "stowage/base/random.h"
#include "stowage/planner.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Json> LinesOf(const std::string& text) {
  std::vector<Json> lines;
  for (const auto& line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    lines.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    EXPECT_TRUE(lines.back().is_object()) << line;
  }
  return lines;
}

// Returns a trace for which a search with a few thousand nodes improves its
// plan several times.
std::string TraceForSearch() { return RandomTraceCsv({80, 60, 20, 500}, 11); }

// Expects that times and bounds never fall, that totals never rise, and that
// the last line equals the answer.
void ExpectProgress(const std::vector<Json>& lines, const Json& answer) {
  ASSERT_GE(lines.size(), 2U);
  for (size_t k = 1; k < lines.size(); ++k) {
    EXPECT_GE(lines[k]["seconds"], lines[k - 1]["seconds"]);
    EXPECT_LE(lines[k]["total_size"], lines[k - 1]["total_size"]);
    EXPECT_GE(lines[k]["lower_bound"], lines[k - 1]["lower_bound"]);
    EXPECT_GE(lines[k]["nodes"], lines[k - 1]["nodes"]);
    EXPECT_EQ(lines[k].contains("status"), k + 1 == lines.size());
  }
  for (const char* key : {"total_size", "lower_bound", "found_by", "status"}) {
    EXPECT_EQ(lines.back()[key], answer[key]) << key;
  }
}

TEST(ProgressLines, TellTheWayToTheAnswer) {
  const CommandFolder folder;
  folder.Write("x.csv", TraceForSearch());
  for (const char* kind : {"offsets", "objects"}) {
    const CommandResult result = folder.Run(
        absl::StrCat("stowage plan x.csv --strategy optimal --nodes 20000 "
                     "--progress --format json --kind ",
                     kind));
    EXPECT_EQ(result.exit_code, 0);
    ExpectProgress(LinesOf(result.err), Json::parse(result.out));
  }
}

TEST(ProgressLines, OfAnInfeasibleCapacityEndWithoutAPlan) {
  const CommandFolder folder;
  folder.Write("x.csv", "id,lower,upper,size\na,0,2,8\nb,1,3,8\n");
  const CommandResult result = folder.Run(
      "stowage plan x.csv --strategy optimal --capacity 15 "
      "--progress 2> progress; head -n 1 progress >&2");
  const std::vector<Json> lines = LinesOf(result.err);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["total_size"], nullptr);
  EXPECT_EQ(lines[0]["found_by"], nullptr);
  EXPECT_EQ(lines[0]["lower_bound"], 16);
  EXPECT_EQ(lines[0]["status"], "infeasible");
}

TEST(ProgressLines, ThatCannotBeWrittenAreAnErrorButThePlanIsThere) {
  const CommandFolder folder;
  folder.Write("x.csv", TraceForSearch());
  const CommandResult result = folder.Run(
      "stowage plan x.csv --strategy optimal --nodes 1000 "
      "--progress -o plan.csv 2> /dev/full");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("status "));
  EXPECT_EQ(folder.Run("stowage verify x.csv plan.csv").exit_code, 0);
}

// A pipe that never blocks. Read() returns the text that has been written to
// the pipe since the last call.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_.data(), O_NONBLOCK | O_CLOEXEC), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int in() const { return ends_[1]; }
  std::string Read() const {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t n = 1; n > 0;) {
      n = read(ends_[0], buffer.data(), buffer.size());
      if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(ProgressLines, AreOfWhatIsBetterAlone) {
  const Pipe pipe;
  ProgressLines lines(pipe.in());
  lines.Print({9, 4, 0, "a"});
  lines.Print({9, 4, 5, "b"});
  lines.Print({8, 4, 6, "c"});
  lines.Print({8, 5, 7, "c"});
  std::vector<std::string> shown;
  for (const Json& line : LinesOf(pipe.Read())) {
    shown.push_back(absl::StrCat(line["total_size"].get<size_t>(), " ",
                                 line["lower_bound"].get<size_t>(), " ",
                                 line["nodes"].get<size_t>(), " ",
                                 line["found_by"].get<std::string>()));
  }
  EXPECT_THAT(shown, ElementsAre("9 4 0 a", "8 4 6 c", "8 5 7 c"));
}

// Costs take precedence over sizes: a plan with a lower cost is better even if
// it is larger.
TEST(ProgressLines, HaveCosts) {
  const Pipe pipe;
  ProgressLines lines(pipe.in());
  lines.Print({8, 4, 0, "a", 5, 1});
  lines.Print({7, 4, 1, "b", 6, 1});  // costs more
  lines.Print({9, 4, 2, "c", 3, 1});
  lines.Print({9, 4, 3, "d", 3, 2});  // a better bound
  lines.Print({9, 4, 4, "e", 3, 2});
  lines.Print({8, 4, 5, "f", 3, 2});
  Solution answer;
  answer.cost_bound = 2;
  lines.PrintAnswer(answer, true);
  std::vector<std::string> shown;
  for (const Json& line : LinesOf(pipe.Read())) {
    shown.push_back(absl::StrCat(line["cost"].dump(), " ",
                                 line["cost_bound"].dump(), " ",
                                 line["total_size"].dump()));
  }
  EXPECT_THAT(shown,
              ElementsAre("5 1 8", "3 1 9", "3 2 9", "3 2 8", "null 2 null"));
}

TEST(ProgressLines, DoNotWaitForAReader) {
  const Pipe pipe;
  ProgressLines lines(pipe.in());
  for (size_t total = 10000; total > 0; --total) {
    lines.Print({total, 0, 0, "a"});
  }
  EXPECT_TRUE(lines.status().ok()) << lines.status();
  const std::vector<Json> shown = LinesOf(pipe.Read());
  EXPECT_GT(shown.size(), 100U);
  EXPECT_LT(shown.size(), 10000U);
  // Now that the reader has emptied the pipe, the last line is written.
  Solution answer;
  answer.lower_bound = 7;
  lines.PrintAnswer(answer, false);
  EXPECT_EQ(LinesOf(pipe.Read()).size(), 1U);
}

}  // namespace
}  // namespace stowage::cli
