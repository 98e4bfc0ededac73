// SPDX-License-Identifier: Apache-2.0
// Tests files with other separators, with headers in capitals, and without ids.
// A file is read if its meaning is clear. Otherwise it is refused with a
// message that names the separator or the column.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns "id@first-last:size" for each record.
std::string DialectRecords(const ProblemFile& trace) {
  std::vector<std::string> result;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    const TensorUsageRecord<size_t>& record = trace.problem.records[i];
    result.push_back(absl::StrCat(trace.problem.names[i], "@",
                                  record.first_task, "-", record.last_task, ":",
                                  record.tensor_size));
  }
  return absl::StrJoin(result, " ");
}

struct Dialect {
  const char* name;
  std::string text;
  const char* records;
};

class DialectTest : public testing::TestWithParam<Dialect> {};

TEST_P(DialectTest, IsRead) {
  const absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv(GetParam().text, "t");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(DialectRecords(*trace), GetParam().records);
}

INSTANTIATE_TEST_SUITE_P(
    All, DialectTest,
    testing::ValuesIn(std::vector<Dialect>{
        {"Tabs", "id\tlower\tupper\tsize\na\t0\t2\t4\n", "a@0-1:4"},
        {"TabsAndBlanks", " id \t lower\tupper \tsize\r\n a b\t0 \t 2\t4\r\n",
         "a b@0-1:4"},
        {"TabsAndEmptyCells",
         "# a comment\n\nid\tlower\tupper\tsize\tfixed\talignment\n"
         "a\t0\t2\t4\t\t8\n\t\nb\t0\t2\t4\t16\t\n",
         "a@0-1:4 b@0-1:4"},
        {"TabsAndCommas", "id\tlower\tupper\tsize\na,b\t0\t2\t4\n",
         "a,b@0-1:4"},
        {"TabsAndQuotes", "id\tlower\tupper\tsize\n\"a\tb\" \t0\t2\t4\n",
         "a\tb@0-1:4"},
        {"Semicolons", "id;lower;upper;size\na;0;2;4\n", "a@0-1:4"},
        {"SemicolonsAndBlanks", "id ;\tlower; upper;size\n a;0\t;2;4\n",
         "a@0-1:4"},
        {"SemicolonsAndCommas", "id;lower;upper;size\na,b;0;2;4\n",
         "a,b@0-1:4"},
        {"SemicolonsInQuotedHeader",
         "\"id\";\"lower\";\"upper\";\"size\"\n\"a;b\";0;2;4\n", "a;b@0-1:4"},
        {"CommasAndSemicolons", "id,lower,upper,size\na;b,0,2,4\n",
         "a;b@0-1:4"},
        {"Capitals", "ID,LOWER,UPPER,SIZE\na,0,2,4\n", "a@0-1:4"},
        {"Title", "Id;Lower;Upper;Size;Alignment\na;0;2;4;8\n", "a@0-1:4"},
        {"CapitalsOfMiniMalloc", "Buffer,Start,End,Size\na,0,2,4\n", "a@0-2:4"},
        {"WithoutIds", "lower,upper,size\n0,2,4\n\n1,3,8\n", "0@0-1:4 1@1-2:8"},
        {"TabsWithoutIds", "size\tlower\tupper\n4\t0\t2\n", "0@0-1:4"},
        {"GapsWithoutIds", "lower,upper,size,gaps\n0,1,4,\n0,9,4,3-5\n",
         "0@0-0:4 1@0-2:4 1#2@5-8:4"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CsvDialectTest, EmptyCellsBetweenTabsCount) {
  const absl::StatusOr<ProblemFile> trace = ParseProblemCsv(
      "fixed\tid\tlower\tupper\tsize\talignment\n\ta\t0\t2\t4\t8\n", "t");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_THAT(trace->problem.fixed_offsets, ElementsAre(absl::nullopt));
  EXPECT_THAT(trace->problem.alignments, ElementsAre(8));
}

struct Doubt {
  const char* name;
  std::string text;
  const char* message;  // part of the message
};

class DoubtTest : public testing::TestWithParam<Doubt> {};

TEST_P(DoubtTest, IsRefused) {
  EXPECT_THAT(
      std::string(ParseProblemCsv(GetParam().text, "t").status().message()),
      HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, DoubtTest,
    testing::ValuesIn(std::vector<Doubt>{
        {"Blanks", "id lower upper size\na 0 2 4\n",
         "t:1: no header: the first row starts with \"id lower upper size\"; "
         "expected commas, semicolons or tabs between its columns"},
        {"Bars", "id|lower|upper|size\na|0|2|4\n",
         "expected commas, semicolons or tabs between its columns"},
        {"TwoSeparators", "id,lower;upper,size\n",
         "t:1: unknown column \"lower;upper\"; expected a comma between all "
         "columns"},
        {"TabsAmongCommas", "id,lower\tupper,size\n",
         "expected a comma between all columns"},
        {"TabsAmongSemicolons", "id;lower\tupper;size\n",
         "expected a semicolon between all columns"},
        {"RowsOfAnother", "id,lower,upper,size\na;0;2;4\n",
         "t:2: 1 field; expected 4 as in the header, with a comma between"},
        {"RowsOfCommas", "id;lower;upper;size\na,0,2,4\n",
         "t:2: 1 field; expected 4 as in the header, with a semicolon between"},
        {"TwoCases", "id,lower,upper,size,Size\n",
         "t:1: columns \"size\" and \"Size\" have one meaning"},
        {"AnotherNameForTheId", "tensor,lower,upper,size\n",
         "t:1: unknown column \"tensor\""},
        {"NoSize", "Id,Lower,Upper\n", "t:1: no column \"size\""},
        {"TextAfterAQuote", "id;lower;upper;size\n\"a\"b;0;2;4\n",
         "t:2: text after the closing quote of \"a\"; expected a semicolon"},
    }),
    [](const auto& test) { return test.param.name; });

struct PlacesAlone {
  const char* name;
  std::string text;
  bool is_accepted;
};

TEST(CsvDialectTest, PlacesAloneAreAPlanWhereTheyAreAskedFor) {
  const PlacesAlone cases[] = {
      {"offsets", "id,offset\na,4\nb,0\n", true},
      {"objects", "object,id\n4,a\n0,b\n", true},
      {"pools", "id,offset,chosen_pool\na,4,sram\nb,0,dram\n", true},
      {"tabs and capitals", "ID\tOffset\na\t4\nb\t0\n", true},
      {"no ids", "offset\n4\n", false},
      {"ids alone", "id\na\n", false},
      {"sizes too", "id,size,offset\na,4,0\n", false},
      {"both", "id,offset,object\na,4,0\n", false},
  };
  CsvOptions options;
  options.accept_places_alone = true;
  for (const PlacesAlone& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(ParseProblemCsv(c.text, "t").ok());
    const absl::StatusOr<ProblemFile> plan =
        ParseProblemCsv(c.text, "t", options);
    ASSERT_EQ(plan.ok(), c.is_accepted) << plan.status();
    if (!plan.ok()) continue;
    EXPECT_THAT(plan->problem.names, ElementsAre("a", "b"));
    EXPECT_THAT(plan->problem.records, IsEmpty());
    EXPECT_EQ(plan->plan.offsets.size() + plan->plan.objects.size(), 2);
  }
}

TEST(CsvDialectTest, AWholePlanIsReadAsBefore) {
  CsvOptions options;
  options.accept_places_alone = true;
  EXPECT_EQ(
      DialectRecords(ParseProblemCsv("id,lower,upper,size,offset\na,0,2,4,0\n",
                                     "t", options)
                         .value()),
      "a@0-1:4");
}

}  // namespace
}  // namespace stowage
