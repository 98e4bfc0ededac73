// SPDX-License-Identifier: Apache-2.0
// Opens a page in a real browser, for tests that compare it with the library.
// Without a browser they are skipped with a message, or fail if
// STOWAGE_NEEDS_BROWSER is set.
#ifndef STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_
#define STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/trace.h"
#include "tests/support/temp_folder.h"
#include "tests/web/browser.h"

namespace stowage::web {

// Returns the view of a plan by a strategy, which must not be one that
// searches.
views::PlanView ViewOf(Trace trace, const std::string& strategy,
                       const std::string& title);

class PageTest : public TempFolderTest {
 protected:
  void SetUp() override;

  Browser& browser();
  // Makes the page of some plans, loads it and waits for its first picture.
  void OpenPage(absl::Span<const views::PlanView> plans);
  // Returns the value of an expression. If it fails, the test fails and the
  // value is null.
  Json Get(const std::string& expression);
};

}  // namespace stowage::web

#endif  // STOWAGE_TESTS_WEB_PAGE_TEST_BASE_H_
