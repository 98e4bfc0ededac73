// SPDX-License-Identifier: Apache-2.0
#include "tests/web/page_test_base.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"

namespace stowage::web {
namespace {

// Returns the browser that all tests of the executable share.
absl::StatusOr<std::unique_ptr<Browser>>& SharedBrowser() {
  static absl::StatusOr<std::unique_ptr<Browser>> browser = Browser::Start();
  return browser;
}

}  // namespace

views::PlanView ViewOf(ProblemFile trace, const std::string& strategy,
                       const std::string& title) {
  const absl::StatusOr<Problem> problem = Problem::Create(trace.problem);
  EXPECT_TRUE(problem.ok()) << problem.status();
  if (!problem.ok()) return {};
  const absl::StatusOr<Solution> plan = Solve(*problem, strategy);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  trace.plan = FilePlanOf(*plan);
  absl::StatusOr<views::PlanView> view =
      views::ViewPlan(std::move(trace), {title, strategy});
  EXPECT_TRUE(view.ok()) << view.status();
  return view.ok() ? *std::move(view) : views::PlanView();
}

void PageTest::SetUp() {
  const absl::Status& status = SharedBrowser().status();
  if (status.ok()) return;
  ASSERT_EQ(std::getenv("STOWAGE_NEEDS_BROWSER"), nullptr) << status;
  GTEST_SKIP() << status;
}

Browser& PageTest::browser() { return **SharedBrowser(); }

void PageTest::OpenPage(absl::Span<const views::PlanView> plans,
                        const views::PageOptions& options) {
  const absl::StatusOr<std::string> page = views::FormatPage(plans, options);
  ASSERT_TRUE(page.ok()) << page.status();
  const std::string path = Write("page.html", *page);
  const absl::Status opened = browser().Open(absl::StrCat("file://", path));
  ASSERT_TRUE(opened.ok()) << opened;
  const Json shown = Get(
      "new Promise((done) => { const wait = () => window.stowage ? done(true) "
      ": setTimeout(wait, 5); wait(); setTimeout(() => done(false), 50000); "
      "})");
  ASSERT_EQ(shown, true) << Get("document.body.innerText.slice(0, 500)");
}

Json PageTest::Get(const std::string& expression) {
  const absl::StatusOr<Json> value = browser().Evaluate(expression);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : Json();
}

}  // namespace stowage::web
