// SPDX-License-Identifier: Apache-2.0
// Tests that a page sends nothing and treats every name of a tensor as text.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct HostileName {
  std::string title;
  std::string name;
};

const HostileName kHostileNames[] = {
    {"a script that ends early", "</script><img src=x onerror=alert(1)>"},
    {"a script", "<script>alert(1)</script>"},
    {"a comment", "<!--<script>"},
    {"a reference", "&lt;b&gt; &amp; &#0;"},
    {"an attribute", "\" onmouseover=\"alert(1)"},
    {"a template", "${alert(1)} {{alert(1)}} `alert(1)`"},
    {"an address", "javascript:alert(1)//https://example.com/"},
    {"right to left", "conv\u202Egpj.exe"},
    {"no UTF-8", "\xff\xfe\xc0\xaf"},
    {"a prototype", "__proto__"},
    {"NUL and controls", std::string("a\0b\x1b[31m\r\n\t", 11)},
    {"a million bytes", std::string(1000000, 'x')},
};

ProblemFile TraceWithNames() {
  ProblemFile trace;
  for (size_t i = 0; i < std::size(kHostileNames); ++i) {
    trace.problem.records.push_back({size_t{64} << i, i, i + 2});
    trace.problem.names.push_back(kHostileNames[i].name);
    trace.problem.labels.tensors.push_back({kHostileNames[i].name,
                                            kHostileNames[i].name,
                                            kHostileNames[i].name,
                                            i,
                                            {i + 1}});
    trace.problem.labels.operators.push_back(kHostileNames[i].name);
  }
  return trace;
}

class PageSafety : public PageTest {};

TEST_F(PageSafety, AsksForNothingBeyondItself) {
  OpenPage({ViewOf(TraceWithNames(), "greedy_by_size", "<i>title</i>")});
  // After a while, the page itself changes the fragment of its address, which
  // describes what the page shows. The fragment is therefore removed here.
  const std::string address = Get("location.href.split('#')[0]");
  EXPECT_THAT(browser().events().requests, ElementsAre(address));
  EXPECT_EQ(Get("performance.getEntriesByType('resource').length"), 0);
  const std::string policy = Get(
      "document.querySelector('meta[http-equiv=\"Content-Security-Policy\" i]')"
      ".content");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe-inline")));
  EXPECT_EQ(Get("Object.keys(localStorage).length"), 0);
}

// Names are treated as text in all places where they are shown: in the plot, in
// search results, and for a pinned tensor.
TEST_F(PageSafety, ShowsHostileNamesAsText) {
  OpenPage({ViewOf(TraceWithNames(), "greedy_by_size", "<i>title</i>")});
  const Json before = Get("document.scripts.length");
  for (size_t i = 0; i < std::size(kHostileNames); ++i) {
    SCOPED_TRACE(kHostileNames[i].title);
    const Json place = Get(absl::StrCat("stowage.place(", i, ")"));
    const Json plot = Get("stowage.plot()");
    const double x =
        (place.at("left").get<double>() + place.at("right").get<double>()) / 2 +
        plot.at("x").get<double>();
    const double y =
        (place.at("top").get<double>() + place.at("bottom").get<double>()) / 2 +
        plot.at("y").get<double>();
    ASSERT_TRUE(browser().Click(x, y).ok());
    Get("stowage.find('alert')");
  }
  EXPECT_THAT(browser().events().dialogs, IsEmpty());
  EXPECT_THAT(browser().events().errors, IsEmpty());
  EXPECT_EQ(browser().events().requests.size(), 1U);
  EXPECT_EQ(Get("document.querySelectorAll('img, iframe, object, embed, i, b')"
                ".length"),
            0);
  EXPECT_EQ(Get("document.scripts.length"), before);
  // The text contains neither control characters nor directional marks.
  EXPECT_EQ(Get("/[\\u0000-\\u0008\\u001b\\u202a-\\u202e\\u2066-\\u2069]/"
                ".test(document.body.innerText)"),
            false);
}

TEST_F(PageSafety, SaysWhatMarksOfDirectionAreThere) {
  ProblemFile trace;
  trace.problem.records = {{64, 0, 2}};
  trace.problem.names = {"conv\u202Egpj.exe"};
  OpenPage({ViewOf(trace, "greedy_by_size", "one")});
  const std::string text = Get("document.body.innerText");
  EXPECT_THAT(text, HasSubstr("conv\\u202egpj.exe"));
}

}  // namespace
}  // namespace stowage::web
