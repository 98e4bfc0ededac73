// SPDX-License-Identifier: Apache-2.0
// Tests that a page can be used without a mouse, in every color scheme, and on
// paper.
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Returns a trace with two peaks, at tasks 1 and 4.
ProblemFile TwoPeaks() {
  ProblemFile trace;
  trace.problem.records = {{600, 0, 1}, {400, 1, 2}, {1000, 4, 4}, {10, 0, 5}};
  trace.problem.names = {"conv", "add", "pool", "state"};
  return trace;
}

class PageUse : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    OpenPage({ViewOf(TwoPeaks(), "greedy_by_size", "two peaks")});
  }

  void Press(const std::string& key) {
    ASSERT_TRUE(browser().Press(key).ok()) << key;
  }
  Json State() { return Get("stowage.state()"); }
};

TEST_F(PageUse, ZoomsAndMovesByKeys) {
  const Json full = State().at("window");
  Press("+");
  const Json zoomed = State().at("window");
  const double width =
      full.at("x1").get<double>() - full.at("x0").get<double>();
  EXPECT_NEAR(zoomed.at("x1").get<double>() - zoomed.at("x0").get<double>(),
              width / 2, 1e-6 * width);
  Press("ArrowRight");
  EXPECT_GT(State().at("window").at("x0"), zoomed.at("x0"));
  Press("ArrowLeft");
  Press("ArrowUp");
  EXPECT_GT(State().at("window").at("y0"), zoomed.at("y0"));
  Press("ArrowDown");
  Press("-");
  Press("0");
  EXPECT_EQ(State().at("window"), full);
}

TEST_F(PageUse, JumpsFromPeakToPeak) {
  std::vector<double> middles;
  for (int k = 0; k < 2; ++k) {
    Press("+");
    Press("+");
    Press("p");
    const Json window = State().at("window");
    middles.push_back(
        (window.at("x0").get<double>() + window.at("x1").get<double>()) / 2);
  }
  // In the picture, a task extends from its number to the number of the next
  // task.
  EXPECT_NEAR(std::abs(middles[1] - middles[0]), 3, 1.01);
}

TEST_F(PageUse, SearchesByKeys) {
  Press("/");
  EXPECT_EQ(Get("document.activeElement.id"), "search");
  for (const char* key : {">", "5", "0", "0"}) Press(key);
  Press("Enter");
  EXPECT_EQ(Get("new Promise((done) => setTimeout(() => "
                "done(stowage.state().found), 300))"),
            2);
  Get("document.activeElement.blur()");
  const Json first = State().at("result");
  Press("n");
  EXPECT_NE(State().at("result"), first);
  Press("N");
  EXPECT_EQ(State().at("result"), first);
}

TEST_F(PageUse, ReachesEveryControlByTab) {
  std::vector<std::string> reached;
  for (int k = 0; k < 60; ++k) {
    Press("Tab");
    reached.push_back(
        Get("document.activeElement.id || "
            "document.activeElement.tagName"));
  }
  for (const char* id :
       {"colour", "waste", "zoom-in", "search", "copy", "table-scroll"}) {
    EXPECT_THAT(reached, ::testing::Contains(id));
  }
}

TEST_F(PageUse, KeepsItsStateInTheAddress) {
  Press("+");
  Get("stowage.setColour('size')");
  const Json window = State().at("window");
  const std::string address =
      Get("new Promise((done) => setTimeout(() => done(location.href), 600))");
  EXPECT_THAT(address, HasSubstr("#"));
  ASSERT_TRUE(browser().Open("about:blank").ok());
  ASSERT_TRUE(browser().Open(address).ok());
  Get("new Promise((done) => { const wait = () => window.stowage ? done(true) "
      ": setTimeout(wait, 5); wait(); })");
  EXPECT_EQ(State().at("colour"), "size");
  const Json again = State().at("window");
  for (const char* side : {"x0", "x1", "y0", "y1"}) {
    EXPECT_NEAR(again.at(side).get<double>(), window.at(side).get<double>(),
                1e-3 * std::abs(window.at(side).get<double>()) + 1e-3)
        << side;
  }
}

// Returns the contrast ratio of two colors, as defined by WCAG 2.1.
double Contrast(const Json& a, const Json& b) {
  const auto luminance = [](const Json& colour) {
    const auto linear = [&](size_t k) {
      const double c = colour[k].get<double>() / 255;
      return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
  };
  const double x = luminance(a) + 0.05;
  const double y = luminance(b) + 0.05;
  return x > y ? x / y : y / x;
}

TEST_F(PageUse, IsReadableInEveryScheme) {
  for (const auto& [feature, value] :
       std::vector<std::pair<std::string, std::string>>{
           {"prefers-color-scheme", "light"},
           {"prefers-color-scheme", "dark"}}) {
    SCOPED_TRACE(value);
    ASSERT_TRUE(browser().SetMedia(feature, value).ok());
    Get("new Promise((done) => setTimeout(done, 100))");
    const Json theme = Get("stowage.theme()");
    EXPECT_GE(Contrast(theme.at("text"), theme.at("plot")), 4.5);
    EXPECT_GE(Contrast(theme.at("plain"), theme.at("plot")), 3.0);
  }
  ASSERT_TRUE(browser().SetMedia("forced-colors", "active").ok());
  Get("new Promise((done) => setTimeout(done, 100))");
  EXPECT_THAT(browser().events().errors, IsEmpty());
  ASSERT_TRUE(browser().SetMedia("prefers-color-scheme", "").ok());
}

TEST_F(PageUse, DescribesItsPicturesInWords) {
  const Json pictures =
      Get("Array.from(document.querySelectorAll('canvas:not([aria-hidden])'), "
          "(c) => "
          "[c.getAttribute('role'), c.getAttribute('aria-label') || ''])");
  ASSERT_FALSE(pictures.empty());
  for (const Json& picture : pictures) {
    EXPECT_EQ(picture[0], "img");
    EXPECT_GT(picture[1].get<std::string>().size(), 20U);
  }
  EXPECT_EQ(Get("document.querySelectorAll('[aria-live]').length > 0"), true);
}

// Checks the page with axe-core, which this project does not ship. The
// environment variable STOWAGE_AXE names the file axe.min.js of axe-core.
TEST_F(PageUse, HasNoViolationsOfAccessibility) {
  const char* const path = std::getenv("STOWAGE_AXE");
  if (path == nullptr) GTEST_SKIP() << "STOWAGE_AXE is not set";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  const std::string axe((std::istreambuf_iterator<char>(file)), {});
  Get(absl::StrCat(axe, ";0"));
  // Opens every part of the page that can be opened, so that axe-core checks
  // these parts as well.
  Get("stowage.find('o')");
  for (const auto& [feature, value] :
       std::vector<std::pair<std::string, std::string>>{
           {"prefers-color-scheme", "light"},
           {"prefers-color-scheme", "dark"},
           {"forced-colors", "active"}}) {
    SCOPED_TRACE(value);
    ASSERT_TRUE(browser().SetMedia(feature, value).ok());
    const Json violations =
        Get("axe.run().then((r) => r.violations.map((v) => v.id + ': ' + "
            "v.nodes.map((n) => n.html).join(' ')))");
    EXPECT_THAT(violations, IsEmpty());
  }
  ASSERT_TRUE(browser().SetMedia("prefers-color-scheme", "").ok());
}

// The search returns a single result for a tensor that is in both traces. Only
// the second trace has the tensor "extra conv".
TEST_F(PageUse, SearchesAllTraces) {
  ProblemFile other = TwoPeaks();
  other.problem.records.push_back({70, 2, 3});
  other.problem.names.push_back("extra conv");
  OpenPage({ViewOf(TwoPeaks(), "greedy_by_size", "before"),
            ViewOf(other, "greedy_by_size", "after")});
  EXPECT_EQ(Get("stowage.find('conv')"), 2);
  EXPECT_EQ(Get("stowage.find('=70')"), 1);
  EXPECT_EQ(Get("stowage.find('@2')"), 3);  // "add", "state", "extra conv"
  EXPECT_EQ(Get("stowage.find('state')"), 1);
  EXPECT_EQ(Get("stowage.find('extra')"), 1);
  EXPECT_THAT(Get("document.getElementById('result-list').textContent")
                  .get<std::string>(),
              HasSubstr("extra conv 70 bytes, tasks 2 to 3, in after"));
  Get("document.querySelector('#result-list button').click()");
  EXPECT_EQ(State().at("pinned"), Json({{"trace", 1}, {"record", 4}}));
  EXPECT_EQ(State().at("result"), 0);
  EXPECT_THAT(Get("document.getElementById('details-title').textContent")
                  .get<std::string>(),
              HasSubstr("extra conv"));
  EXPECT_THAT(browser().events().errors, IsEmpty());
}

TEST_F(PageUse, IsPrintedWithItsTable) {
  const absl::StatusOr<std::string> pdf = browser().PrintPdf();
  ASSERT_TRUE(pdf.ok()) << pdf.status();
  EXPECT_THAT(*pdf, StartsWith("%PDF-"));
  EXPECT_GT(pdf->size(), 5000U);
  Get("window.dispatchEvent(new Event('beforeprint'))");
  const std::string table =
      Get("document.getElementById('peak-table').innerText");
  EXPECT_THAT(table, HasSubstr("state"));
  EXPECT_THAT(table, HasSubstr("1,000"));
}

}  // namespace
}  // namespace stowage::web
