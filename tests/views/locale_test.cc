// SPDX-License-Identifier: Apache-2.0
// Tests that output does not depend on the locale of the program that embeds
// the library. The locale of the tests uses decimal commas and groups
// thousands.
#include <gtest/gtest.h>

#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/compare.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/views/compare_page.h"
#include "stowage/views/page.h"
#include "stowage/views/svg.h"
#include "stowage/views/terminal.h"
#include "stowage/views/trace_events.h"
#include "tests/support/temp_folder.h"

namespace stowage::views {
namespace {

constexpr char kPlan[] =
    "id,lower,upper,size,offset,type,shape\n"
    "stem,0,1400,6000000,0,float32,1x1500x1000\n"
    "skip,1000,8000,4000000,6000000,,\n"
    "head,1500,8000,3000001,0,,\n";

struct Writer {
  std::string name;
  absl::StatusOr<std::string> (*write)(const PlanView& view);
};

const Writer kWriters[] = {
    {"CSV",
     [](const PlanView& view) {
       return FormatProblemCsv({view.problem, view.plan});
     }},
    {"page", [](const PlanView& view) { return FormatPage({view}); }},
    {"picture", [](const PlanView& view) { return PlanSvg(view, {}); }},
    {"text", [](const PlanView& view) { return PlanText(view, {}); }},
    {"JSON events",
     [](const PlanView& view) {
       TraceEventOptions options;
       options.task_nanoseconds = {1, 1500, 2500000};
       return FormatTraceEvents({view}, TraceEventFormat::kJson, options);
     }},
    {"Perfetto events",
     [](const PlanView& view) {
       return FormatTraceEvents({view}, TraceEventFormat::kPerfetto);
     }},
    {"comparison",
     [](const PlanView& view) -> absl::StatusOr<std::string> {
       ComparePageRow row;
       row.input = "plan.csv";
       row.records = view.problem.records.size();
       row.naive_size = 13000001;
       row.lower_bound = view.lower_bound;
       ComparedPlan plan;
       plan.strategy = "greedy_by_size";
       plan.total_size = view.total_size;
       row.plans.push_back(plan);
       return FormatComparePage({row}, "1.5");
     }},
};

// Returns the text that each writer makes from the plan. Parses the plan again
// for each writer.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  for (const Writer& writer : kWriters) {
    absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kPlan, "plan.csv");
    EXPECT_TRUE(trace.ok()) << trace.status();
    const absl::StatusOr<PlanView> view =
        ViewPlan(*std::move(trace), {"plan.csv", "greedy_by_size"});
    EXPECT_TRUE(view.ok()) << view.status();
    const absl::StatusOr<std::string> text = writer.write(*view);
    EXPECT_TRUE(text.ok()) << writer.name << ": " << text.status();
    texts.push_back(*text);
  }
  return texts;
}

// Sets a locale during the lifetime of the object. The destructor restores the
// previous locale.
class WithLocale {
 public:
  explicit WithLocale(const std::locale& locale)
      : old_(std::locale::global(locale)),
        old_name_(std::setlocale(LC_ALL, nullptr)) {}
  ~WithLocale() {
    std::locale::global(old_);
    std::setlocale(LC_ALL, old_name_.c_str());
  }
  WithLocale(const WithLocale&) = delete;
  WithLocale& operator=(const WithLocale&) = delete;

 private:
  std::locale old_;
  std::string old_name_;
};

void ExpectSameTexts(const std::vector<std::string>& expected) {
  const std::vector<std::string> texts = Texts();
  ASSERT_EQ(texts.size(), expected.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(texts[i] == expected[i]) << kWriters[i].name << " differs";
  }
}

class LocaleTest : public TempFolderTest {};

// Formats numbers with a decimal comma and grouped thousands, as in German.
class CommaAndGroups : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(LocaleTest, OfStreamsChangesNothing) {
  const std::vector<std::string> expected = Texts();
  const WithLocale german(
      std::locale(std::locale::classic(), new CommaAndGroups));
  std::ostringstream number;
  number << 1234567;
  ASSERT_EQ(number.str(), "1.234.567");
  ExpectSameTexts(expected);
}

TEST_F(LocaleTest, OfTheProgramChangesNothing) {
  const std::vector<std::string> expected = Texts();
  const std::string command = absl::StrCat(
      "localedef --no-archive -i de_DE -f UTF-8 '", Path("de_DE.UTF-8"), "'");
  if (std::system(command.c_str()) != 0) {
    GTEST_SKIP() << "there are no sources of locales: the package locales";
  }
  const WithLocale restored{std::locale()};
  ASSERT_EQ(setenv("LOCPATH", Path("").c_str(), 1), 0);
  const char* const name = std::setlocale(LC_ALL, "de_DE.UTF-8");
  ASSERT_EQ(unsetenv("LOCPATH"), 0);
  ASSERT_NE(name, nullptr);
  char number[8];
  ASSERT_EQ(std::snprintf(number, sizeof(number), "%.1f", 1.5), 3);
  ASSERT_STREQ(number, "1,5");
  ExpectSameTexts(expected);
}

}  // namespace
}  // namespace stowage::views
