// SPDX-License-Identifier: Apache-2.0
// Tests the slider of a page that shows one plan at a time.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/views/dynamic_page.h"
#include "stowage/views/page.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns the plans of three records for three sequence lengths.
std::vector<views::PlanView> ThreeLengths() {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
  spec.problem.names = {"query", "scores", "found"};
  spec.parameters = {{"seq", 16, 48, 16}};
  spec.sizes = {"4*seq", "seq*seq", "256"};
  const auto problem = DynamicProblem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  const auto plan = PlanForAllValues(*problem);
  EXPECT_TRUE(plan.ok()) << plan.status();
  auto views = views::ViewPlanAtValues(*problem, *plan);
  EXPECT_TRUE(views.ok()) << views.status();
  return *std::move(views);
}

class PageSlider : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    views::PageOptions options;
    options.slider = "seq";
    OpenPage(ThreeLengths(), options);
  }

  std::string TextOf(const std::string& id) {
    return Get("document.getElementById('" + id + "').innerText");
  }
  // Returns the numbers of the visible charts.
  Json Seen() {
    return Get(
        "[...document.querySelectorAll('#plans .panel')].map((p, i) => "
        "p.offsetHeight > 0 ? i : -1).filter((i) => i >= 0)");
  }
  void Slide(size_t number) {
    Get("(() => { const s = document.getElementById('slider'); s.value = '" +
        std::to_string(number) +
        "'; s.dispatchEvent(new Event('input')); return 0; })()");
  }
};

TEST_F(PageSlider, ShowsOnePlanAtATime) {
  EXPECT_EQ(Seen(), Json::array({0}));
  EXPECT_EQ(TextOf("slider-value"), "seq=16");
  EXPECT_THAT(TextOf("summary"), HasSubstr("seq=16"));
  Slide(2);
  EXPECT_EQ(Seen(), Json::array({2}));
  EXPECT_EQ(Get("stowage.state().shown"), 2);
  EXPECT_EQ(TextOf("slider-value"), "seq=48");
  EXPECT_THAT(TextOf("summary"), HasSubstr("seq=48"));
  EXPECT_THAT(TextOf("summary"), Not(HasSubstr("seq=16")));
  // At this length, the tensor "scores" is the largest.
  EXPECT_THAT(Get("stowage.tableCsv()").get<std::string>(),
              HasSubstr("scores"));
  EXPECT_EQ(Get("stowage.columns(2).size"), Json({"192", "2304", "256"}));
  EXPECT_GT(Get("stowage.pixels(2).width"), 100);
  EXPECT_THAT(browser().events().errors, IsEmpty());
}

TEST_F(PageSlider, IsMovedByArrowKeys) {
  Get("document.getElementById('slider').focus()");
  const Json window = Get("stowage.state().window");
  ASSERT_TRUE(browser().Press("ArrowRight").ok());
  EXPECT_EQ(Seen(), Json::array({1}));
  EXPECT_EQ(Get("stowage.state().window"), window);
  EXPECT_EQ(Get("document.getElementById('slider').getAttribute("
                "'aria-valuetext')"),
            "seq=32");
}

TEST_F(PageSlider, KeepsItsValueInTheAddress) {
  Slide(1);
  const std::string address =
      Get("new Promise((done) => setTimeout(() => done(location.href), 600))");
  EXPECT_THAT(address, HasSubstr("plan=1"));
  ASSERT_TRUE(browser().Open("about:blank").ok());
  ASSERT_TRUE(browser().Open(address).ok());
  Get("new Promise((done) => { const wait = () => window.stowage ? done(true) "
      ": setTimeout(wait, 5); wait(); })");
  EXPECT_EQ(Seen(), Json::array({1}));
  EXPECT_EQ(TextOf("slider-value"), "seq=32");
}

TEST_F(PageSlider, IsNotThereWithoutAName) {
  OpenPage(ThreeLengths());
  EXPECT_EQ(Seen(), Json::array({0, 1, 2}));
  EXPECT_EQ(Get("document.getElementById('slider').offsetHeight"), 0);
}

}  // namespace
}  // namespace stowage::web
