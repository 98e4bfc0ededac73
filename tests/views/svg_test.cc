// SPDX-License-Identifier: Apache-2.0
// Tests that pictures are exact, well-formed and small, and that they have the
// same bytes on every machine. This command writes the pictures of the examples
// to files for viewing:
//
//   STOWAGE_UPDATE_PICTURES=1 build/release/tests/views/views_test
#include "stowage/views/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_shapes.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/usage_record.h"
#include "tests/views/xml_reader.h"

namespace stowage::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kStack[] =
    "id,lower,upper,size,offset\n"
    "stem,0,4,6,0\n"
    "skip,1,8,4,6\n"
    "head,5,8,3,0\n"
    "late,4,5,1,5\n";

PlanView ViewOf(ProblemFile trace, const std::string& title = "plan.csv") {
  absl::StatusOr<PlanView> view = ViewPlan(std::move(trace), {title, ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

PlanView ViewCsv(const std::string& csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  return ViewOf(*trace);
}

std::string Svg(const PlanView& view, const SvgOptions& options = {}) {
  absl::StatusOr<std::string> svg = PlanSvg(view, options);
  EXPECT_TRUE(svg.ok()) << svg.status();
  return *svg;
}

std::vector<XmlElement> Elements(const std::string& svg) {
  absl::StatusOr<std::vector<XmlElement>> elements = ReadXml(svg);
  EXPECT_TRUE(elements.ok()) << elements.status();
  return elements.ok() ? *elements : std::vector<XmlElement>();
}

// Returns the text of all elements with the given name, one line for each.
std::string TextOf(const std::string& svg, absl::string_view name) {
  std::string text;
  for (const XmlElement& element : Elements(svg)) {
    if (element.name == name) absl::StrAppend(&text, element.text, "\n");
  }
  return text;
}

using BoxTuple = std::tuple<int64_t, int64_t, int64_t, int64_t>;

// Returns the rectangles in the data of a path. Each rectangle is drawn by the
// commands M or m, h, v, h and z.
std::vector<BoxTuple> BoxesOf(const std::string& data) {
  std::vector<BoxTuple> boxes;
  std::vector<int64_t> numbers;
  std::string number;
  int64_t x = 0;
  int64_t y = 0;
  const auto flush = [&] {
    int64_t value = 0;
    if (!number.empty()) {
      EXPECT_TRUE(absl::SimpleAtoi(number, &value)) << number;
      numbers.push_back(value);
    }
    number.clear();
  };
  for (const char c : data) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      number += c;
      continue;
    }
    flush();
    if (c == '-') number = "-";
    if (c != 'z') continue;
    EXPECT_EQ(numbers.size(), 5U);
    x += numbers[0];
    y += numbers[1];
    boxes.emplace_back(x, y, numbers[2], numbers[3]);
    numbers.clear();
  }
  return boxes;
}

// Returns the boxes of all paths whose class begins with `prefix`.
std::multiset<BoxTuple> BoxesOfClass(const std::string& svg,
                                     absl::string_view prefix) {
  std::multiset<BoxTuple> boxes;
  for (const XmlElement& element : Elements(svg)) {
    const auto name = element.attributes.find("class");
    if (element.name != "path" || name == element.attributes.end()) continue;
    if (!absl::StartsWith(name->second, prefix)) continue;
    for (const BoxTuple& box : BoxesOf(element.attributes.at("d"))) {
      boxes.insert(box);
    }
  }
  return boxes;
}

// Returns a trace of random records that are the same on every machine.
ProblemFile Many(size_t count, uint64_t tasks, size_t largest) {
  ProblemFile trace;
  uint64_t state = 1;
  const auto next = [&state](uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (size_t i = 0; i < count; ++i) {
    const uint64_t first = next(tasks);
    trace.problem.names.push_back(absl::StrCat(i));
    trace.problem.records.push_back(
        {1 + next(largest), first, first + next(i % 16 == 0 ? tasks : 9)});
    trace.plan.offsets.push_back(next(512 * largest));
  }
  return trace;
}

uint64_t Fnv1a(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

void ExpectGolden(const std::string& name, const std::string& svg) {
  const std::string path =
      absl::StrCat(STOWAGE_SOURCE_DIR "/tests/views/data/", name);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (content.str() != svg &&
      std::getenv("STOWAGE_UPDATE_PICTURES") != nullptr) {
    std::ofstream(path, std::ios::binary) << svg;
    return;
  }
  EXPECT_EQ(content.str(), svg) << name;
}

TEST(Svg, HasTheRectanglesOfTheRecords) {
  const PlanView view = ViewCsv(kStack);
  const std::string svg = Svg(view);
  // The plot has 760 by 183 pixels for 8 tasks and 10 bytes, and begins at (64,
  // 34). Coordinates are in eighths of a pixel.
  const int64_t task = 8 * 760 / 8;
  const auto box = [&](int64_t first, int64_t end, int64_t low, int64_t high) {
    const int64_t height = 8 * 183;
    const int64_t bottom = 8 * 34 + height;
    return BoxTuple(8 * 64 + first * task, bottom - high * height / 10,
                    (end - first) * task,
                    high * height / 10 - low * height / 10);
  };
  EXPECT_THAT(BoxesOfClass(svg, "l"),
              ::testing::IsSupersetOf({box(0, 4, 0, 6), box(1, 8, 6, 10),
                                       box(5, 8, 0, 3), box(4, 5, 5, 6)}));
  EXPECT_TRUE(BoxesOfClass(svg, "small s8").empty());
}

TEST(Svg, SaysWhatItShows) {
  const std::string svg = Svg(ViewCsv(kStack));
  EXPECT_THAT(TextOf(svg, "title"), HasSubstr("plan.csv: 4 tensors, 10 B"));
  EXPECT_THAT(TextOf(svg, "desc"), HasSubstr("10 bytes are live, at task 1"));
  const std::string labels = TextOf(svg, "text");
  EXPECT_THAT(labels, HasSubstr("peak, task 1"));
  EXPECT_THAT(labels, HasSubstr("total = bound 10 B"));
  for (const char* id : {"stem", "skip", "head", "late"}) {
    EXPECT_THAT(labels, HasSubstr(id));
  }
}

TEST(Svg, LooksAsRecorded) {
  ExpectGolden("stack.svg", Svg(ViewCsv(kStack)));
  ExpectGolden("unsafe_objects.svg",
               Svg(ViewCsv("id,lower,upper,size,object\n"
                           "a,0,4,6,0\nb,1,8,4,1\nc,3,8,3,0\n"),
                   {480, 200, SvgTheme::kDark}));
}

// The picture is the same with every compiler, optimization level and locale.
TEST(Svg, OfManyRecordsIsTheSameEverywhere) {
  const std::string svg = Svg(ViewOf(Many(20000, 5000, 1 << 20)));
  EXPECT_EQ(Fnv1a(svg), 236189144609575813U) << svg.size();
}

TEST(Svg, IsSmallHoweverManyRecordsThereAre) {
  for (const size_t largest : {size_t{1} << 8, size_t{1} << 40}) {
    for (const uint64_t tasks : {100U, 100000U}) {
      const std::string svg = Svg(ViewOf(Many(100000, tasks, largest)),
                                  {1920, 1080, SvgTheme::kAuto});
      EXPECT_LT(svg.size(), 400000U) << largest << " " << tasks;
      EXPECT_LE(BoxesOfClass(svg, "l").size(), kMaxRectangles + 20);
      EXPECT_LE(BoxesOfClass(svg, "small s").size(), kMaxRuns + 20);
    }
  }
}

TEST(Svg, ShowsTensorsBelowAPixelByTheirShare) {
  // 20,000 tasks are drawn on 760 pixels. At every second task, all bytes are
  // occupied.
  ProblemFile trace;
  for (uint64_t task = 0; task < 20000; task += 2) {
    trace.problem.names.push_back(absl::StrCat(task));
    trace.problem.records.push_back({10, task, task});
    trace.plan.offsets.push_back(0);
  }
  const std::string svg = Svg(ViewOf(trace));
  EXPECT_LE(BoxesOfClass(svg, "l").size(),
            6U);  // only rectangles of the legend
  const std::multiset<BoxTuple> half = BoxesOfClass(svg, "small s4");
  const std::multiset<BoxTuple> less = BoxesOfClass(svg, "small s3");
  EXPECT_GT(half.size() + less.size(), 100U);
  EXPECT_TRUE(BoxesOfClass(svg, "small s8").empty());
}

TEST(Svg, IsWellFormedWhateverIdsAre) {
  const std::string hostile[] = {"</text><script>alert(1)</script>",
                                 "]]>&amp;<!--",
                                 "\"' onload=\"x",
                                 std::string("nul\0\x01\x1b[31m", 10),
                                 "\u202Egnp\u2066",
                                 "\xFF\xFE\xED\xA0\x80",
                                 "\uFFFE\uFFFF",
                                 std::string(1 << 20, 'x'),
                                 std::string(1000, '&')};
  for (const std::string& id : hostile) {
    ProblemFile trace;
    trace.problem.names = {id};
    trace.problem.records = {{6, 0, 3}};
    trace.plan.offsets = {0};
    trace.plan.objects = {};
    const std::string svg = Svg(ViewOf(trace, id));
    EXPECT_FALSE(Elements(svg).empty());
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_LT(svg.size(), 20000U);
    // A second record makes the plan unsafe, so the name of the first record
    // also appears in the description of the violation.
    trace.problem.names.emplace_back("b");
    trace.problem.records.push_back({6, 0, 3});
    trace.plan.offsets.push_back(1);
    EXPECT_FALSE(Elements(Svg(ViewOf(trace, id))).empty());
  }
}

TEST(Svg, MarksAnUnsafePlan) {
  const std::string svg =
      Svg(ViewCsv("id,lower,upper,size,offset\n"
                  "a,0,4,6,0\nb,2,8,4,4\n"));
  EXPECT_THAT(TextOf(svg, "text"),
              HasSubstr("unsafe: tensor 'a' and tensor 'b'"));
  EXPECT_THAT(TextOf(svg, "desc"), HasSubstr("The plan is unsafe"));
  EXPECT_EQ(BoxesOfClass(svg, "witness").size(), 2U);
  EXPECT_EQ(BoxesOfClass(svg, "unsafe").size(), 1U);
}

TEST(Svg, OutlinesTheOneTensorThatIsWrong) {
  const std::string svg =
      Svg(ViewCsv("id,lower,upper,size,alignment,offset\n"
                  "a,0,4,6,1,8\nb,4,8,4,4,2\n"));
  EXPECT_THAT(TextOf(svg, "text"), HasSubstr("unsafe: tensor 'b'"));
  EXPECT_EQ(BoxesOfClass(svg, "witness").size(), 1U);
}

TEST(Svg, NamesPoolsAndObjects) {
  const std::string svg =
      Svg(ViewCsv("id,lower,upper,size,object\n"
                  "a,0,4,6,0\nb,1,8,4,1\n"));
  EXPECT_THAT(TextOf(svg, "text"), HasSubstr("object 0"));
  EXPECT_THAT(TextOf(svg, "text"), HasSubstr("object 1"));
}

TEST(Svg, DrawsWhatIsEmptyOrExtreme) {
  EXPECT_FALSE(Elements(Svg(ViewCsv("id,lower,upper,size,offset\n"))).empty());
  EXPECT_FALSE(Elements(Svg(ViewCsv("id,lower,upper,size,offset\na,3,4,0,0\n")))
                   .empty());
  const size_t huge = size_t{1} << 62;
  ProblemFile trace;
  trace.problem.names = {"a", "b", "c"};
  trace.problem.records = {{huge, 0, (uint64_t{1} << 40) - 1},
                           {huge, 5, uint64_t{1} << 39},
                           {1, 7, 7}};
  trace.plan.offsets = {0, huge, 2 * huge};
  const std::string svg = Svg(ViewOf(trace));
  EXPECT_FALSE(Elements(svg).empty());
  EXPECT_THAT(TextOf(svg, "text"), HasSubstr("8.0 EiB"));
}

TEST(Svg, FollowsTheTheme) {
  const PlanView view = ViewCsv(kStack);
  const char* const query = "@media(prefers-color-scheme:dark)";
  EXPECT_THAT(Svg(view, {960, 320, SvgTheme::kAuto}), HasSubstr(query));
  const std::string light = Svg(view, {960, 320, SvgTheme::kLight});
  const std::string dark = Svg(view, {960, 320, SvgTheme::kDark});
  EXPECT_THAT(light, Not(HasSubstr(query)));
  EXPECT_THAT(dark, Not(HasSubstr(query)));
  EXPECT_NE(light, dark);
}

TEST(Svg, IsWellFormedAtEverySize) {
  const PlanView view = ViewCsv(kStack);
  for (const size_t width : {160U, 479U, 480U, 8192U}) {
    for (const size_t height : {120U, 333U, 8192U}) {
      EXPECT_FALSE(
          Elements(Svg(view, {width, height, SvgTheme::kAuto})).empty());
    }
  }
  for (const SvgOptions& options :
       {SvgOptions{159, 320}, SvgOptions{960, 119}, SvgOptions{8193, 320},
        SvgOptions{960, 8193}}) {
    EXPECT_EQ(PlanSvg(view, options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace stowage::views
