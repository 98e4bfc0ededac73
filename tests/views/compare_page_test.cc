// SPDX-License-Identifier: Apache-2.0
// Tests that the page of a comparison contains every number and treats every
// name as text.
#include "stowage/views/compare_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/compare.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedPlan PlanOfSize(const std::string& strategy,
                        absl::optional<size_t> total) {
  ComparedPlan plan;
  plan.strategy = strategy;
  plan.total_size = total;
  plan.time_ns = 12'000;
  return plan;
}

ComparePageRow RowOf(const std::vector<ComparedPlan>& plans,
                     size_t bound = 1000) {
  return {"x.csv", 3, 4000, bound, PlanKind::kOffsets, plans};
}

std::string PageOfRow(const ComparePageRow& row) {
  return FormatComparePage({row}, "title");
}

TEST(ComparePage, SaysHowFarAPlanIsAboveTheBound) {
  const size_t max = std::numeric_limits<size_t>::max();
  const struct {
    size_t total;
    size_t bound;
    const char* cell;
  } kCases[] = {
      {1000, 1000, "heat0\" data-key=\"0\">=<"},
      {0, 0, "heat0\" data-key=\"0\">=<"},
      {1001, 1000, "heat1\" data-key=\"1\">+0.1&nbsp;%<"},
      {1099, 1000, "heat3\" data-key=\"99\">+9.9&nbsp;%<"},
      {1999, 1000, "heat5\" data-key=\"999\">+99.9&nbsp;%<"},
      {2000, 1000, "heat6\" data-key=\"1000\">&times;&nbsp;2.0<"},
      {max, max / 2, "heat6\" data-key=\"1000\">&times;&nbsp;2.0<"},
      {1, 0, "heat6\" data-key=\"9007199254740991\">far above<"},
      {max, 1, "heat6\" data-key=\"9007199254740991\">far above<"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(PageOfRow(RowOf({PlanOfSize("naive", c.total)}, c.bound)),
                HasSubstr(c.cell));
  }
}

TEST(ComparePage, HasExactBytesAndTimes) {
  const std::string page = PageOfRow(RowOf({PlanOfSize("naive", 1234567)}));
  EXPECT_THAT(page, HasSubstr("1,234,567<br>12us"));
  EXPECT_THAT(page, HasSubstr("data-key=\"4000\">4,000</td>"));
}

TEST(ComparePage, KnowsWhatASearchHasProved) {
  ComparedPlan plan = PlanOfSize("optimal", 1036);
  plan.lower_bound = 1036;
  EXPECT_THAT(PageOfRow(RowOf({plan})), HasSubstr("+3.6&nbsp;%, optimal"));
}

TEST(ComparePage, SaysWhyThereIsNoPlan) {
  ComparedPlan plan = PlanOfSize("naive", absl::nullopt);
  plan.outcome = ComparedPlan::Outcome::kGaveUp;
  plan.reason = "too <many> records";
  EXPECT_THAT(PageOfRow(RowOf({plan})),
              HasSubstr("gave_up<span class=\"muted\">too &lt;many&gt; "));
}

TEST(ComparePage, HasATableForEachKind) {
  ComparePageRow objects = RowOf({PlanOfSize("equality", 1000)});
  objects.kind = PlanKind::kObjects;
  const std::string page =
      FormatComparePage({RowOf({PlanOfSize("naive", 1000)}), objects}, "both");
  EXPECT_THAT(page, HasSubstr("Plans of offsets"));
  EXPECT_THAT(page, HasSubstr("Plans of objects"));
}

TEST(ComparePage, LeavesACellEmptyWhereAStrategyWasNotAsked) {
  const std::string page = FormatComparePage(
      {RowOf({PlanOfSize("naive", 1)}), RowOf({PlanOfSize("equality", 1)})},
      "two");
  EXPECT_THAT(page, HasSubstr("<td data-key=\"9007199254740992\"></td>"));
}

TEST(ComparePage, OfNothingIsAPage) {
  const std::string page = FormatComparePage({}, "");
  EXPECT_THAT(page, HasSubstr("Nothing was compared."));
  EXPECT_THAT(page, HasSubstr("</html>"));
}

TEST(ComparePage, TakesNamesForText) {
  ComparePageRow row = RowOf({PlanOfSize("</table><script>", 1)});
  row.input = "<img src=x onerror=alert(1)>\xe2\x80\xae\xff";
  const std::string page = FormatComparePage({row}, "</title><script>");
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(page, HasSubstr("onerror=alert(1)&gt;\\u202e\\xff"));
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
}

TEST(ComparePage, RunsNothingButItsScript) {
  const std::string page = PageOfRow(RowOf({PlanOfSize("naive", 1)}));
  for (const char* name : {"script", "style"}) {
    const size_t begin = page.find(absl::StrCat("<", name, ">")) +
                         absl::string_view(name).size() + 2;
    const std::string text =
        page.substr(begin, page.find(absl::StrCat("</", name, ">")) - begin);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           digest);
    const std::string hash = absl::Base64Escape(absl::string_view(
        reinterpret_cast<const char*>(digest), sizeof(digest)));
    EXPECT_THAT(page,
                HasSubstr(absl::StrCat(name, "-src 'sha256-", hash, "'")));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
}

}  // namespace
}  // namespace stowage::views
