// SPDX-License-Identifier: Apache-2.0
// Opens a page in a real browser, for tests that compare the page with the
// library. If no browser is installed, these tests are skipped with a message,
// or fail if STOWAGE_NEEDS_BROWSER is set.
#ifndef STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_
#define STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/views/page.h"
#include "tests/support/temp_folder.h"
#include "tests/web/browser.h"

namespace stowage::web {

// Plans the trace with a strategy, and returns the view of the plan. Requires
// that the strategy does not search.
views::PlanView ViewOf(ProblemFile trace, const std::string& strategy,
                       const std::string& title);

class PageTest : public TempFolderTest {
 protected:
  void SetUp() override;

  Browser& browser();
  // Makes a page of the plans, loads it in the browser, and waits until the
  // page has drawn its first picture.
  void OpenPage(absl::Span<const views::PlanView> plans,
                const views::PageOptions& options = {});
  // Returns the value of a JavaScript expression. If the evaluation fails, the
  // test fails and the result is null.
  Json Get(const std::string& expression);
};

}  // namespace stowage::web

#endif  // STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_
