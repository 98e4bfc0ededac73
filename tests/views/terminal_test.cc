// SPDX-License-Identifier: Apache-2.0
// Tests plans written as text: the cells are exact, no line is too wide, and
// nothing in the text controls the terminal.
#include "stowage/views/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "rapidcheck/gtest.h"
#include "stowage/base/text.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/usage_record.h"
#include "stowage/views/plain_text.h"

namespace stowage::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kThree[] =
    "id,lower,upper,size,offset\n"
    "stem,0,4,6,0\n"
    "skip,1,8,4,6\n"
    "head,5,8,3,0\n";

PlanView TextView(ProblemFile trace, const std::string& title = "plan.csv") {
  absl::StatusOr<PlanView> view = ViewPlan(std::move(trace), {title, ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

PlanView TextViewCsv(const std::string& csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  return TextView(*trace);
}

std::string Text(const PlanView& view, const TextOptions& options) {
  absl::StatusOr<std::string> text = PlanText(view, options);
  EXPECT_TRUE(text.ok()) << text.status();
  return *text;
}

TextOptions Sized(size_t width, size_t height, bool ascii = true) {
  TextOptions options;
  options.width = width;
  options.height = height;
  options.ascii = ascii;
  return options;
}

size_t WidestLine(const std::string& text) {
  size_t widest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    widest = std::max(widest, DisplayWidth(line));
  }
  return widest;
}

// Returns a trace of `count` tensors. Tensor i is live at task i only.
ProblemFile Shaded(size_t count) {
  ProblemFile trace;
  for (size_t i = 0; i < count; ++i) {
    trace.problem.names.push_back(absl::StrCat("t", i));
    trace.problem.records.push_back({8, i, i});
    trace.plan.offsets.push_back(0);
  }
  return trace;
}

TEST(PlanText, HasALetterForEachOfAFewTensors) {
  // A task is five columns wide, and a line represents two bytes.
  EXPECT_EQ(Text(TextViewCsv(kThree), Sized(51, 5)),
            "plan.csv: 3 tensors, 8 tasks, 10 bytes,\n"
            "at the lower bound\n"
            "                  v peak, task 1\n"
            "      10 B|     bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "          |     bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
            "          |aaaaaaaaaaaaaaaaaaaa\n"
            "       4 B|aaaaaaaaaaaaaaaaaaaa     ccccccccccccccc\n"
            "          |aaaaaaaaaaaaaaaaaaaa     ccccccccccccccc\n"
            "     alive|:::::###############.....:::::::::::::::\n"
            "     tasks|0                                      7\n"
            "a=stem 6 B  b=skip 4 B  c=head 3 B\n");
}

TEST(PlanText, ShadesTheShareThatIsOccupied) {
  // 128 tasks are drawn on 64 columns. All bytes are in use at every second
  // task of the first half and at every task of the second half.
  ProblemFile trace;
  for (size_t task = 0; task < 128; ++task) {
    if (task < 64 && task % 2 == 1) continue;
    trace.problem.names.push_back(absl::StrCat(task));
    trace.problem.records.push_back({8, task, task});
    trace.plan.offsets.push_back(0);
  }
  // No bytes are in use at the next 16 tasks.
  trace.problem.names.emplace_back("end");
  trace.problem.records.push_back({0, 143, 143});
  trace.plan.offsets.push_back(0);
  const std::vector<std::string> lines =
      absl::StrSplit(Text(TextView(trace), Sized(11 + 72, 1)), '\n');
  ASSERT_GE(lines.size(), 4U);
  bool found = false;
  for (const std::string& line : lines) {
    if (!absl::StartsWith(line, "       8 B|")) continue;
    EXPECT_EQ(line.substr(11), std::string(32, ':') + std::string(32, '#'));
    found = true;
  }
  EXPECT_TRUE(found);
}

TEST(PlanText, HasHalvesOfCells) {
  ProblemFile trace = Shaded(60);
  trace.problem.names.emplace_back("top");
  trace.problem.records.push_back({8, 0, 29});
  trace.plan.offsets.push_back(24);
  // Bytes [0, 8) are in use at all tasks, and bytes [24, 32) in the first half.
  // Each of the two lines represents 16 bytes, so half of a cell is filled.
  const std::string text = Text(TextView(trace), Sized(41, 2, false));
  EXPECT_THAT(text, HasSubstr("32 B\u258F\u2580\u2580"));
  EXPECT_THAT(text, HasSubstr("\u258F\u2584\u2584\u2584"));
}

TEST(PlanText, NamesEveryPeakInTheWindow) {
  const PlanView view = TextViewCsv(
      "id,lower,upper,size,offset\n"
      "a,0,1,8,0\nb,4,5,8,0\nc,9,10,8,0\nd,1,4,2,0\n");
  EXPECT_THAT(Text(view, Sized(80, 2)),
              HasSubstr("3 peaks, the first at task 0"));
  TextOptions options = Sized(80, 2);
  options.from = 4;
  options.to = 8;
  const std::string text = Text(view, options);
  // The letter v occurs three times: as the mark of the peak in the window, in
  // "csv" and in "alive".
  EXPECT_EQ(std::count(text.begin(), text.end(), 'v'), 3);
  EXPECT_THAT(text, HasSubstr("|4"));
  EXPECT_THAT(text, HasSubstr("8\n"));
}

TEST(PlanText, MarksAnUnsafePlan) {
  const PlanView view = TextViewCsv(
      "id,lower,upper,size,offset\n"
      "a,0,4,6,0\nb,2,8,4,4\n");
  const std::string text = Text(view, Sized(80, 5));
  EXPECT_THAT(text, HasSubstr("unsafe: tensor 'a' and tensor 'b' both hold"));
  EXPECT_THAT(text, HasSubstr("!"));
}

TEST(PlanText, NamesPoolsAndObjects) {
  EXPECT_THAT(Text(TextViewCsv("id,lower,upper,size,object\n"
                               "a,0,4,6,0\nb,1,8,4,1\n"),
                   Sized(80, 4)),
              HasSubstr("object 1|"));
}

TEST(PlanText, HasNoEscapeWithoutColor) {
  TextOptions options = Sized(80, 5);
  EXPECT_THAT(Text(TextViewCsv(kThree), options), Not(HasSubstr("\x1b")));
  options.color = true;
  const std::string text = Text(TextViewCsv(kThree), options);
  EXPECT_THAT(text, HasSubstr("\x1b["));
  // Every line resets the colors at its end.
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t last = line.rfind("\x1b[");
    if (last == absl::string_view::npos) continue;
    EXPECT_TRUE(absl::StartsWith(line.substr(last), "\x1b[0m")) << line;
  }
}

TEST(PlanText, NeverIsWiderThanAsked) {
  std::vector<ProblemFile> traces = {Shaded(60), Shaded(3), Shaded(0),
                                     Shaded(5)};
  traces[1].problem.names = {std::string(300, 'x'), "\u4E2D\u6587\u5B57",
                             "e\u0301\u202E"};
  // The numbers in this plan have nearly the maximum width.
  traces[3].problem.records[0] = {size_t{1} << 63, uint64_t{1} << 40,
                                  uint64_t{1} << 41};
  traces[3].problem.records[1] = {size_t{7} << 60, 7, 1U << 20};
  traces[3].plan.offsets[1] = size_t{1} << 62;
  for (const ProblemFile& trace : traces) {
    for (size_t width = kTextLeastWidth; width < 130; ++width) {
      for (const bool ascii : {false, true}) {
        const std::string text = Text(TextView(trace), Sized(width, 7, ascii));
        EXPECT_LE(WidestLine(text), width) << text;
      }
    }
  }
}

TEST(PlanText, IsAsciiWhereAsked) {
  ProblemFile trace = Shaded(2);
  trace.problem.names = {"\u4E2D", "\x1b[31m\u202E\xFF"};
  for (const char c : Text(TextView(trace, "\u00E9"), Sized(60, 4))) {
    EXPECT_TRUE(absl::ascii_isprint(static_cast<unsigned char>(c)) ||
                c == '\n');
  }
}

RC_GTEST_PROP(PlanTextProperty, HasNothingHostileInIt,
              (const std::string& id, const std::string& title)) {
  ProblemFile trace = Shaded(1);
  trace.problem.names = {id};
  const auto width = *rc::gen::inRange<size_t>(kTextLeastWidth, 60);
  const std::string text = Text(TextView(trace, title),
                                Sized(width, 3, *rc::gen::arbitrary<bool>()));
  RC_ASSERT(IsUtf8(text));
  RC_ASSERT(WidestLine(text) <= width);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    RC_ASSERT(OneLine(line) == line);
  }
}

TEST(PlanText, RefusesWhatItCannotDraw) {
  const PlanView view = TextViewCsv(kThree);
  for (const auto& [width, height] :
       std::vector<std::pair<size_t, size_t>>{{19, 5}, {4097, 5}, {80, 0}}) {
    EXPECT_EQ(PlanText(view, Sized(width, height)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  TextOptions options;
  options.to = 8;  // the tasks are 0 to 7
  EXPECT_EQ(PlanText(view, options).status().code(),
            absl::StatusCode::kOutOfRange);
  options.to = 2;
  options.from = 3;
  EXPECT_EQ(PlanText(view, options).status().code(),
            absl::StatusCode::kOutOfRange);
  options.to = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(PlanText(view, options).ok());
}

}  // namespace
}  // namespace stowage::views
