// SPDX-License-Identifier: Apache-2.0
// Tests that a browser shows the pictures written by --svg without requesting
// other files for them.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/views/svg.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SvgPicture : public PageTest {
 protected:
  // Loads the picture of a plan. `name` is both the title of the plan and the
  // name of its first tensor.
  void OpenPicture(const std::string& name) {
    ProblemFile trace;
    trace.problem.records = {{600, 0, 1}, {400, 1, 2}, {1000, 4, 4}};
    trace.problem.names = {name, "add", "pool"};
    const absl::StatusOr<std::string> svg =
        views::PlanSvg(ViewOf(trace, "greedy_by_size", name));
    ASSERT_TRUE(svg.ok()) << svg.status();
    const std::string path = Write("picture.svg", *svg);
    const absl::Status opened = browser().Open(absl::StrCat("file://", path));
    ASSERT_TRUE(opened.ok()) << opened;
  }
};

TEST_F(SvgPicture, IsDrawnWithNothingBesideIt) {
  OpenPicture("conv");
  EXPECT_EQ(Get("document.documentElement.localName"), "svg");
  EXPECT_EQ(Get("document.querySelectorAll('parsererror').length"), 0);
  EXPECT_EQ(browser().events().requests.size(), 1U);
  EXPECT_THAT(browser().events().errors, IsEmpty());
  // A path has a width and a height only if the browser has drawn it.
  EXPECT_GE(Get("Array.from(document.querySelectorAll('path'), (p) => "
                "p.getBBox()).filter((b) => b.width > 0 && b.height > 0)"
                ".length"),
            2);
  EXPECT_THAT(Get("document.documentElement.textContent").get<std::string>(),
              HasSubstr("conv"));
}

TEST_F(SvgPicture, HasNamesAsTextAlone) {
  for (const char* name :
       {"</text><script>alert(1)</script>", "]]><image href='http://x/'/>",
        "&entity; \" onload=\"alert(1)", "conv\u202Egpj.exe"}) {
    SCOPED_TRACE(name);
    OpenPicture(name);
    EXPECT_EQ(Get("document.querySelectorAll('script, image, parsererror')"
                  ".length"),
              0);
    EXPECT_EQ(browser().events().requests.size(), 1U);
    EXPECT_THAT(browser().events().dialogs, IsEmpty());
    EXPECT_THAT(Get("document.documentElement.textContent").get<std::string>(),
                Not(HasSubstr("\u202E")));
  }
}

}  // namespace
}  // namespace stowage::web
