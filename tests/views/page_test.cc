// SPDX-License-Identifier: Apache-2.0
// Tests that a page of plans is a single file that requests no other file, that
// it contains the numbers of the plans, and that it treats every name as data.
// Tests in tests/web check how a browser shows the page.
#include "stowage/views/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "src/views/columns.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "tests/views/column_reader.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

constexpr char kThreeRecords[] =
    "id,lower,upper,size,offset\n"
    "a,0,2,6,0\n"
    "b,1,3,4,6\n"
    "c,4,5,10,0\n";

PlanView PageViewOf(const std::string& csv,
                    const std::string& title = "plan.csv") {
  const absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {title, ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

PlanView PageViewOf(const ProblemFile& trace) {
  const absl::StatusOr<PlanView> view = ViewPlan(trace, {"plan", ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

// The parts of a page. The page is split as in a browser, where a script
// element ends at the first "</script" regardless of what the element contains.
struct ParsedPage {
  std::string html;
  std::map<std::string, std::string> blocks;  // blocks of data, unpacked
  std::vector<std::string> scripts;           // scripts that are run
  std::vector<std::string> styles;
  std::string rest;  // the page without scripts and styles
  Json header;

  std::vector<size_t> Column(const std::string& id, const Json& column) const {
    std::vector<size_t> values = DecodeColumn(
        blocks.at(id), column.at("delta").get<bool>() ? ColumnCoding::kDelta
                                                      : ColumnCoding::kPlain);
    EXPECT_EQ(values.size(), column.at("count").get<size_t>()) << id;
    return values;
  }
  std::vector<std::string> Texts(const std::string& id,
                                 const Json& column) const {
    std::vector<std::string> texts;
    const std::string& bytes = blocks.at(absl::StrCat(id, ".bytes"));
    size_t begin = 0;
    for (const size_t length :
         Column(absl::StrCat(id, ".length"), column.at("length"))) {
      texts.push_back(bytes.substr(begin, length));
      begin += length;
    }
    EXPECT_EQ(begin, bytes.size());
    if (column.count("index") == 0) return texts;
    std::vector<std::string> all;
    for (const size_t i :
         Column(absl::StrCat(id, ".index"), column.at("index"))) {
      all.push_back(texts.at(i));
    }
    return all;
  }
};

// Removes the first element with the given name from `html`, and sets
// `attributes` and `content` to the parts of the element. Returns whether there
// was such an element.
bool TakeElement(std::string* html, const std::string& name,
                 std::string* attributes, std::string* content) {
  const size_t begin = html->find(absl::StrCat("<", name));
  if (begin == std::string::npos) return false;
  const size_t open = html->find('>', begin);
  const size_t end = html->find(absl::StrCat("</", name), open);
  *attributes = html->substr(begin, open - begin);
  *content = html->substr(open + 1, end - open - 1);
  html->erase(begin, html->find('>', end) + 1 - begin);
  return true;
}

ParsedPage Parse(const std::string& html) {
  ParsedPage page;
  page.html = html;
  page.rest = html;
  std::string attributes;
  std::string content;
  while (TakeElement(&page.rest, "script", &attributes, &content)) {
    const size_t id = attributes.find("id=\"");
    if (id == std::string::npos) {
      page.scripts.push_back(content);
      continue;
    }
    EXPECT_TRUE(absl::StrContains(attributes, "type=\"text/plain\""));
    const size_t begin = id + 4;
    page.blocks[attributes.substr(begin, attributes.find('"', begin) - begin)] =
        UnpackBlock(content);
  }
  while (TakeElement(&page.rest, "style", &attributes, &content)) {
    page.styles.push_back(content);
  }
  page.header = Json::parse(page.blocks.at("header"));
  return page;
}

ParsedPage PageOf(const std::vector<PlanView>& plans,
                  const PageOptions& options = {}) {
  const absl::StatusOr<std::string> html = FormatPage(plans, options);
  EXPECT_TRUE(html.ok()) << html.status();
  return Parse(*html);
}

// Computes the hash with OpenSSL, independently of the library under test.
std::string HashSource(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         digest);
  return absl::StrCat(
      "'sha256-",
      absl::Base64Escape(absl::string_view(
          reinterpret_cast<const char*>(digest), sizeof(digest))),
      "'");
}

std::string PolicyOf(const ParsedPage& page) {
  std::smatch match;
  const std::regex pattern(
      "http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"");
  EXPECT_TRUE(std::regex_search(page.rest, match, pattern));
  return match[1];
}

TEST(Page, RunsNothingButItsScript) {
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)});
  ASSERT_THAT(page.scripts, SizeIs(1));
  ASSERT_THAT(page.styles, SizeIs(1));
  EXPECT_EQ(PolicyOf(page),
            absl::StrCat("default-src 'none'; script-src ",
                         HashSource(page.scripts[0]), "; style-src ",
                         HashSource(page.styles[0]),
                         "; base-uri 'none'; form-action 'none'"));
}

TEST(Page, HasASliderOnlyIfItHasAName) {
  PageOptions options;
  EXPECT_FALSE(
      PageOf({PageViewOf(kThreeRecords)}, options).header.contains("slider"));
  options.slider = "seq</script>";
  EXPECT_EQ(PageOf({PageViewOf(kThreeRecords)}, options).header.at("slider"),
            "seq</script>");
}

TEST(Page, HasThePolicyBeforeAllThatItIsAbout) {
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)});
  const size_t policy = page.html.find("Content-Security-Policy");
  EXPECT_LT(policy, page.html.find("<style"));
  EXPECT_LT(policy, page.html.find("<script"));
}

TEST(Page, ReferToNothingOutsideOfIt) {
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)});
  EXPECT_THAT(page.rest, Not(HasSubstr("src=")));
  EXPECT_THAT(page.rest, Not(HasSubstr("href=")));
  EXPECT_THAT(page.rest, Not(HasSubstr("style=")));
  EXPECT_THAT(page.styles[0], Not(HasSubstr("url(")));
  EXPECT_THAT(page.styles[0], Not(HasSubstr("@import")));
  EXPECT_THAT(page.scripts[0], Not(HasSubstr("innerHTML")));
  EXPECT_THAT(page.scripts[0], Not(HasSubstr("fetch(")));
}

TEST(Page, HasTheSameScriptAndStyleWhateverThePlan) {
  const ParsedPage a = PageOf({PageViewOf(kThreeRecords)});
  const ParsedPage b = PageOf(
      {PageViewOf("id,lower,upper,size,offset\nx,0,9,1,0\n")}, {"another"});
  EXPECT_EQ(a.scripts, b.scripts);
  EXPECT_EQ(a.styles, b.styles);
}

TEST(Page, ClosesEveryElement) {
  std::string rest = PageOf({PageViewOf(kThreeRecords)}).rest;
  const std::regex tag("<(/?)([a-z0-9]+)[^>]*>");
  const std::vector<std::string> void_tags = {"meta", "input", "br"};
  std::vector<std::string> open;
  for (std::sregex_iterator it(rest.begin(), rest.end(), tag), end; it != end;
       ++it) {
    const std::string name = (*it)[2];
    if (std::find(void_tags.begin(), void_tags.end(), name) !=
        void_tags.end()) {
      continue;
    }
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_THAT(open, IsEmpty());
}

TEST(Page, HasTheColumnsOfThePlan) {
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)});
  const Json& trace = page.header["traces"][0];
  EXPECT_EQ(trace["records"], 3);
  EXPECT_EQ(trace["tasks"], "5");
  EXPECT_THAT(page.Texts("t0.ids", trace["ids"]["text"]),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(page.Column("t0.first", trace["first"]), ElementsAre(0, 1, 4));
  EXPECT_THAT(page.Column("t0.life", trace["life"]), ElementsAre(1, 1, 0));
  EXPECT_THAT(page.Column("t0.size", trace["size"]), ElementsAre(6, 4, 10));
  EXPECT_THAT(page.Column("t0.peaks", trace["peaks"]), ElementsAre(1, 4));
  const Json& plan = page.header["plans"][0];
  EXPECT_THAT(page.Column("p0.offset", plan["offset"]), ElementsAre(0, 6, 0));
  EXPECT_EQ(plan["total"], "10");
  EXPECT_EQ(plan["bound"], "10");
  EXPECT_EQ(plan["optimal"], true);
  EXPECT_TRUE(plan["violation"].is_null());
}

TEST(Page, HasIdsThatAreNumbersAsNumbers) {
  const ParsedPage page = PageOf({PageViewOf(
      "id,lower,upper,size,offset\n7,0,2,6,0\n9007199254740992,1,3,4,6\n")});
  EXPECT_THAT(page.Column("t0.ids", page.header["traces"][0]["ids"]["numbers"]),
              ElementsAre(7, 9007199254740992));
}

TEST(Page, HasIdsThatOnlyLookLikeNumbersAsText) {
  for (const char* id : {"007", "+7", "9007199254740993", "1e3", " 7"}) {
    const ParsedPage page = PageOf({PageViewOf(
        absl::StrCat("id,lower,upper,size,offset\n\"", id, "\",0,2,6,0\n"))});
    const Json& ids = page.header["traces"][0]["ids"];
    ASSERT_EQ(ids.count("text"), 1u) << id;
    EXPECT_THAT(page.Texts("t0.ids", ids["text"]), SizeIs(1));
  }
}

TEST(Page, NumbersTensorsWithoutIds) {
  ProblemFile trace;
  trace.problem.records = {{6, 0, 1}, {4, 1, 2}};
  trace.plan.offsets = {0, 6};
  const ParsedPage page = PageOf({PageViewOf(trace)});
  EXPECT_THAT(page.Column("t0.ids", page.header["traces"][0]["ids"]["numbers"]),
              ElementsAre(0, 1));
}

TEST(Page, HasWhatIsKnownOfTensors) {
  ProblemFile trace;
  trace.problem.names = {"0", "1"};
  trace.problem.records = {{6, 0, 1}, {4, 1, 2}};
  trace.plan.offsets = {0, 6};
  trace.problem.labels.tensors = {
      {"input", "int8", "1x6", absl::nullopt, {0, 1}},
      {"output", "int8", "1x4", 1}};
  trace.problem.labels.operators = {"CONV_2D", "ADD", "ADD"};
  const ParsedPage page = PageOf({PageViewOf(trace)});
  const Json& header = page.header["traces"][0];
  EXPECT_THAT(page.Texts("t0.names", header["names"]),
              ElementsAre("input", "output"));
  EXPECT_THAT(page.Texts("t0.types", header["types"]),
              ElementsAre("int8", "int8"));
  EXPECT_THAT(page.Texts("t0.shapes", header["shapes"]),
              ElementsAre("1x6", "1x4"));
  EXPECT_THAT(page.Texts("t0.operators", header["operators"]),
              ElementsAre("CONV_2D", "ADD", "ADD"));
  EXPECT_THAT(page.Column("t0.producers", header["producers"]),
              ElementsAre(0, 2));
  EXPECT_THAT(page.Column("t0.consumer_counts", header["consumer_counts"]),
              ElementsAre(2, 0));
  EXPECT_THAT(page.Column("t0.consumers", header["consumers"]),
              ElementsAre(0, 1));
}

TEST(Page, HasNoColumnsOfWhatIsNotKnown) {
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)});
  const Json& header = page.header["traces"][0];
  EXPECT_TRUE(header["names"].is_null());
  EXPECT_EQ(header.count("producers"), 0u);
  EXPECT_EQ(header.count("operators"), 0u);
}

// Returns names that could do harm in a page. Some of them might run as code,
// end an element or reorder text. Others are not UTF-8.
const std::vector<std::string>& HostileNames() {
  static const auto* const names = new std::vector<std::string>{
      "</script><img src=x onerror=alert(1)>",
      "<!--<script>",
      "]]>\"'&amp;",
      "\xe2\x80\xae"
      "drow",
      std::string("a\0b", 3),
      "\xff\xfe\xc3\x28",
      std::string(1 << 20, 'x'),
      "\x1b[31mred\x1b[0m",
  };
  return *names;
}

// Returns the page without the line breaks that separate its blocks.
std::string WithoutLines(const std::string& html) {
  return absl::StrReplaceAll(html, {{"\n", ""}});
}

TEST(Page, TakesHostileNamesForData) {
  ProblemFile trace;
  trace.problem.names = HostileNames();
  for (const std::string& name : HostileNames()) {
    trace.problem.records.push_back({1, 0, 0});
    trace.plan.offsets.push_back(trace.plan.offsets.size());
    trace.problem.labels.tensors.push_back({name, name, name, 0});
  }
  trace.problem.labels.operators = {HostileNames()[0]};
  const ParsedPage page = PageOf({PageViewOf(trace)});
  ASSERT_THAT(page.scripts, SizeIs(1));
  const Json& header = page.header["traces"][0];
  EXPECT_EQ(page.Texts("t0.ids", header["ids"]["text"]), HostileNames());
  EXPECT_EQ(page.Texts("t0.names", header["names"]), HostileNames());
  const ParsedPage harmless = PageOf({PageViewOf(kThreeRecords)}, {"plan"});
  EXPECT_EQ(WithoutLines(page.rest), WithoutLines(harmless.rest));
}

TEST(Page, MakesHostileTitlesVisible) {
  for (const std::string& name : HostileNames()) {
    const ParsedPage page = PageOf({PageViewOf(kThreeRecords, name)}, {name});
    EXPECT_THAT(page.scripts, SizeIs(1));
    EXPECT_THAT(page.html, Not(HasSubstr("<img")));
    EXPECT_THAT(page.html, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(page.html, Not(HasSubstr(std::string(1, '\0'))));
    EXPECT_THAT(page.html, Not(HasSubstr("\xff")));
  }
  const ParsedPage page = PageOf({PageViewOf(kThreeRecords)}, {"\xe2\x80\xae"
                                                               "x\xff<"});
  EXPECT_THAT(page.html, HasSubstr("<title>\\u202ex\\xff&lt;</title>"));
  EXPECT_EQ(page.header["title"], "\\u202ex\\xff<");
}

TEST(Page, OfNothingIsAPage) {
  const ParsedPage page = PageOf({PageViewOf("id,lower,upper,size,offset\n")});
  EXPECT_EQ(page.header["traces"][0]["records"], 0);
  EXPECT_EQ(page.header["plans"][0]["total"], "0");
}

TEST(Page, NeedsAPlan) {
  EXPECT_EQ(FormatPage({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Page, HasExactNumbersOfAnySize) {
  ProblemFile trace;
  trace.problem.names = {"a", "b"};
  const size_t size = size_t{1} << 63;
  const size_t last = (size_t{1} << 40) - 1;
  trace.problem.records = {{size - 1, 0, last}, {size, 1, last}};
  trace.plan.offsets = {size, 0};
  const ParsedPage page = PageOf({PageViewOf(trace)});
  const Json& header = page.header["traces"][0];
  EXPECT_EQ(header["tasks"], "1099511627776");
  EXPECT_THAT(page.Column("t0.size", header["size"]),
              ElementsAre(size - 1, size));
  EXPECT_EQ(header["size"]["max"], "9223372036854775808");
  EXPECT_THAT(page.Column("p0.offset", page.header["plans"][0]["offset"]),
              ElementsAre(size, 0));
  EXPECT_EQ(page.header["plans"][0]["total"], "18446744073709551615");
}

TEST(Page, MarksTheWitnessOfAnUnsafePlan) {
  const ParsedPage page =
      PageOf({PageViewOf("id,lower,upper,size,offset\n"
                         "a,0,2,6,0\n"
                         "b,1,3,4,2\n")});
  const Json& witness = page.header["plans"][0]["violation"];
  EXPECT_THAT(witness["text"].get<std::string>(),
              HasSubstr("both hold bytes [2, 6)"));
  EXPECT_EQ(witness["records"], Json::array({0, 1}));
  EXPECT_EQ(
      witness["shared"],
      Json({{"begin", "2"}, {"end", "6"}, {"first", "1"}, {"last", "1"}}));
  EXPECT_EQ(page.header["plans"][0]["optimal"], false);
}

TEST(Page, SharesTheTraceOfPlansWhateverTheirRows) {
  const std::string other =
      "id,lower,upper,size,offset\n"
      "c,4,5,10,2\n"
      "a,0,2,6,4\n"
      "b,1,3,4,0\n";
  const ParsedPage page =
      PageOf({PageViewOf(kThreeRecords), PageViewOf(other)});
  EXPECT_THAT(page.header["traces"], SizeIs(1));
  EXPECT_EQ(page.header["plans"][1]["trace"], 0);
  EXPECT_THAT(page.Column("p1.offset", page.header["plans"][1]["offset"]),
              ElementsAre(4, 0, 2));
}

TEST(Page, NumbersTheWitnessAsTheSharedTrace) {
  const std::string other =
      "id,lower,upper,size,offset\n"
      "c,4,5,10,2\n"
      "b,1,3,4,0\n"
      "a,0,2,6,0\n";
  const ParsedPage page =
      PageOf({PageViewOf(kThreeRecords), PageViewOf(other)});
  Json records = page.header["plans"][1]["violation"]["records"];
  std::sort(records.begin(), records.end());
  EXPECT_EQ(records, Json::array({0, 1}));
}

TEST(Page, LinksRecordsOfAnotherTrace) {
  const std::string other =
      "id,lower,upper,size,offset\n"
      "b,1,3,5,6\n"
      "new,1,3,4,20\n"
      "a,0,2,6,0\n";
  const ParsedPage page =
      PageOf({PageViewOf(kThreeRecords), PageViewOf(other)});
  ASSERT_THAT(page.header["traces"], SizeIs(2));
  EXPECT_EQ(page.header["plans"][1]["trace"], 1);
  EXPECT_THAT(page.Column("t1.links", page.header["traces"][1]["links"]),
              ElementsAre(2, 0, 1));
}

TEST(Page, HasTheBandsOfPools) {
  absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv(kThreeRecords, "plan.csv");
  ASSERT_TRUE(trace.ok());
  trace->problem.constraints.pools = {{"sram", 10}, {"<dram>", absl::nullopt}};
  trace->plan.offsets = {0, 0, 0};
  trace->plan.chosen_pools = {1, 0, 0};
  const ParsedPage page = PageOf({PageViewOf(*trace)});
  EXPECT_EQ(page.header["plans"][0]["bands"], Json::parse(R"([
              {"name": "sram", "begin": "0", "size": "10", "capacity": "10"},
              {"name": "<dram>", "begin": "10", "size": "6"}])"));
}

TEST(Page, StopsAtTheFirstErrorOfItsWriter) {
  int pieces = 0;
  const absl::Status status =
      WritePage({PageViewOf(kThreeRecords)}, {}, [&](absl::string_view) {
        ++pieces;
        return absl::DataLossError("full");
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace stowage::views
