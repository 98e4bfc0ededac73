// SPDX-License-Identifier: Apache-2.0
// Tests how traces are read from text. docs/trace-format.md describes the
// format in prose.

#include "src/io/parse_csv.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/byte_source.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProblemFile Parse(absl::string_view csv, const CsvOptions& options = {}) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "t.csv", options);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : ProblemFile();
}

// Returns "id@first-last:size" for each record.
std::vector<std::string> Records(const ProblemFile& trace) {
  std::vector<std::string> result;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    const TensorUsageRecord<size_t>& record = trace.problem.records[i];
    result.push_back(absl::StrCat(trace.problem.names[i], "@",
                                  record.first_task, "-", record.last_task, ":",
                                  record.tensor_size));
  }
  return result;
}

TEST(ParseProblemCsvTest, UpperIsOnePastTheLastTask) {
  const ProblemFile trace = Parse(
      "id,lower,upper,size\n"
      "conv1,0,2,1204224\n"
      "relu,1,2,0\n");
  EXPECT_THAT(Records(trace), ElementsAre("conv1@0-1:1204224", "relu@1-1:0"));
  EXPECT_THAT(trace.problem.alignments, IsEmpty());
  EXPECT_THAT(trace.plan.offsets, IsEmpty());
  EXPECT_THAT(trace.plan.objects, IsEmpty());
  EXPECT_EQ(AlignmentsOf(trace.problem).Of(1), 1);
}

TEST(ParseProblemCsvTest, ColumnsComeInAnyOrder) {
  const ProblemFile trace = Parse(
      "size,offset,upper,id,alignment,lower\n"
      "10,20,4,a,64,3\n");
  EXPECT_THAT(Records(trace), ElementsAre("a@3-3:10"));
  EXPECT_THAT(trace.plan.offsets, ElementsAre(20));
  EXPECT_THAT(trace.problem.alignments, ElementsAre(64));
  EXPECT_EQ(AlignmentsOf(trace.problem).Of(0), 64);
}

TEST(ParseProblemCsvTest, AnObjectColumnIsAPlanOfSharedObjects) {
  EXPECT_THAT(Parse("id,lower,upper,size,object\na,0,1,4,7\n").plan.objects,
              ElementsAre(7));
}

TEST(ParseProblemCsvTest, AnEmptyCellIsNoFixedOffset) {
  const ProblemFile trace = Parse(
      "id,lower,upper,size,fixed\n"
      "a,0,1,4,\n"
      "b,0,1,4,0\n"
      "c,0,1,4,18446744073709551615\n");
  EXPECT_THAT(
      trace.problem.fixed_offsets,
      ElementsAre(absl::nullopt, 0, std::numeric_limits<size_t>::max()));
  EXPECT_TRUE(HasFixedOffsets(trace.problem));
  EXPECT_EQ(trace.problem.fixed_offsets.size(), 3);
}

TEST(ParseProblemCsvTest, AColumnOfEmptyCellsFixesNothing) {
  const ProblemFile trace =
      Parse("id,fixed,lower,upper,size\na,,0,1,4\nb, ,0,1,4\n");
  EXPECT_THAT(trace.problem.fixed_offsets,
              ElementsAre(absl::nullopt, absl::nullopt));
  EXPECT_FALSE(HasFixedOffsets(trace.problem));
}

TEST(ParseProblemCsvTest, UnknownColumnsCanBeReadPast) {
  CsvOptions options;
  options.ignore_unknown_columns = true;
  EXPECT_THAT(Records(Parse("colour,id,lower,upper,size,,\n"
                            "\"r,g\",a,0,1,4,-1,\n",
                            options)),
              ElementsAre("a@0-0:4"));
}

TEST(ParseProblemCsvTest, NumbersUpToTheLargestAreRead) {
  EXPECT_THAT(Records(Parse("id,lower,upper,size\n"
                            "a,18446744073709551614,18446744073709551615,"
                            "18446744073709551615\n"
                            "b,007,0008,00\n")),
              ElementsAre("a@18446744073709551614-18446744073709551614:"
                          "18446744073709551615",
                          "b@7-7:0"));
}

struct GoodCase {
  const char* name;
  std::string csv;
  std::vector<std::string> records;
};

class GoodCsvTest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodCsvTest, IsRead) {
  EXPECT_EQ(Records(Parse(GetParam().csv)), GetParam().records);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, GoodCsvTest,
    testing::ValuesIn(std::vector<GoodCase>{
        {"Empty", "", {}},
        {"CommentsOnly", "# nothing\n\n", {}},
        {"HeaderOnly", "id,lower,upper,size\n", {}},
        {"HeaderWithoutLineEnd", "id,lower,upper,size", {}},
        {"ByteOrderMarkOnly", "\xEF\xBB\xBF", {}},
        {"ByteOrderMark",
         "\xEF\xBB\xBFid,lower,upper,size\na,0,1,4\n",
         {"a@0-0:4"}},
        {"NoLastLineEnd", "id,lower,upper,size\na,0,1,4", {"a@0-0:4"}},
        {"CarriageReturns",
         "id,lower,upper,size\r\na,0,1,4\r\n\r\nb,0,1,4\r\n",
         {"a@0-0:4", "b@0-0:4"}},
        {"CommentsAndBlankLinesAnywhere",
         "# first\n\n \t \n  # indented, \"quoted\nid,lower,upper,size\n"
         "#\na,0,1,4\n\n# last",
         {"a@0-0:4"}},
        {"FieldsAreTrimmed",
         " id ,\tlower, upper ,size\t\n  a b\t, 0,1 ,  4  \n",
         {"a b@0-0:4"}},
        {"QuotesHoldAnything",
         "id,lower,upper,size\n\"a,\"\"b\"\"\n#c\r\n \",0,1,4\n"
         "\"#d\" , \"1\" ,2,4\n\" \",3,4,1\n",
         {"a,\"b\"\n#c\r\n @0-0:4", "#d@1-1:4", " @3-3:1"}},
        {"HeadersMayBeQuoted",
         "\"id\",lower,upper,\"size\"\na,0,1,4\n",
         {"a@0-0:4"}},
        {"IdsAreUtf8",
         "id,lower,upper,size\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\xA2,0,1,4\n",
         {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\xA2@0-0:4"}},
    }),
    [](const auto& test) { return test.param.name; });

struct BadCase {
  const char* name;
  std::string csv;
  const char* message;
};

class BadCsvTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadCsvTest, IsRefused) {
  const auto trace = ParseProblemCsv(GetParam().csv, "t.csv");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(trace.status().message()), GetParam().message);
}

// Returns a CSV file in which `row` is line 3, between two valid records.
std::string Row(absl::string_view row) {
  return absl::StrCat("id,lower,upper,size\na,0,1,4\n", row, "\nz,0,1,4\n");
}

INSTANTIATE_TEST_SUITE_P(
    Headers, BadCsvTest,
    testing::ValuesIn(std::vector<BadCase>{
        {"NoHeader", "0,0,2,1204224\n",
         "t.csv:1: no header: the first row starts with \"0\"; expected the "
         "columns id, lower, upper and size"},
        {"NoHeaderAfterComments", "# x\n\n0,0,2,4\n",
         "t.csv:3: no header: the first row starts with \"0\"; expected the "
         "columns id, lower, upper and size"},
        {"MissingColumn", "id,lower,size\n",
         "t.csv:1: no column \"upper\"; expected id, lower, upper and size"},
        {"UnknownColumn", "id,lower,upper,size,colour\n",
         "t.csv:1: unknown column \"colour\"; expected id, lower, upper, size, "
         "alignment, fixed, min, max, group, at, pool, offset, object, "
         "chosen_pool, name, type, shape, producer or consumers "
         "(--ignore-unknown-columns reads past others)"},
        {"UnnamedColumn", "id,lower,upper,size,\n",
         "t.csv:1: unknown column \"\"; expected id, lower, upper, size, "
         "alignment, fixed, min, max, group, at, pool, offset, object, "
         "chosen_pool, name, type, shape, producer or consumers "
         "(--ignore-unknown-columns reads past others)"},
        {"DuplicateColumn", "id,lower,upper,size,lower\n",
         "t.csv:1: column \"lower\" appears twice; expected it once"},
        {"OffsetAndObject", "id,lower,upper,size,object,offset\n",
         "t.csv:1: both offset and object; expected one of them"},
    }),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Rows, BadCsvTest,
    testing::ValuesIn(std::vector<BadCase>{
        {"Short", Row("b,0,1"),
         "t.csv:3: 3 fields; expected 4 as in the header"},
        {"Long", Row("b,0,1,4,"),
         "t.csv:3: 5 fields; expected 4 as in the header"},
        {"EmptyId", Row(" ,0,1,4"),
         "t.csv:3: id is empty; expected a unique id"},
        {"EmptyQuotedId", Row("\"\",0,1,4"),
         "t.csv:3: id is empty; expected a unique id"},
        {"DuplicateId", Row("\"a\",5,6,4"),
         "t.csv:3: id \"a\" repeats line 2; expected a unique id"},
        {"EmptyInterval", Row("b,2,2,4"),
         "t.csv:3: upper is 2; expected more than lower, which is 2: upper "
         "is one past the last task"},
        {"ReversedInterval", Row("b,3,2,4"),
         "t.csv:3: upper is 2; expected more than lower, which is 3: upper "
         "is one past the last task"},
        {"AlignmentZero", "id,lower,upper,size,alignment\nb,0,1,4,0\n",
         "t.csv:2: alignment is 0; expected a power of two"},
        {"AlignmentSix", "id,lower,upper,size,alignment\nb,0,1,4,6\n",
         "t.csv:2: alignment is 6; expected a power of two"},
        {"NegativeOffset", "id,lower,upper,size,offset\nb,0,1,4,-1\n",
         "t.csv:2: offset is \"-1\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
        {"NegativeFixed", "id,lower,upper,size,fixed\nb,0,1,4,-1\n",
         "t.csv:2: fixed is \"-1\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
        {"NamedObject", "id,lower,upper,size,object\nb,0,1,4,x\n",
         "t.csv:2: object is \"x\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
        {"NoLower", Row("b,,1,4"),
         "t.csv:3: lower is \"\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
        {"NegativeUpper", Row("b,0,-1,4"),
         "t.csv:3: upper is \"-1\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
    }),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Text, BadCsvTest,
    testing::ValuesIn(std::vector<BadCase>{
        {"Nuls", std::string(100, '\0'), "t.csv:1: a NUL byte: not UTF-8 text"},
        {"NulInId", Row(std::string("\"b\0\",0,1,4", 10)),
         "t.csv:3: a NUL byte: not UTF-8 text"},
        {"Latin1", Row("caf\xE9,0,1,4"), "t.csv:3: not UTF-8 text"},
        {"Utf8LongForm", Row("\xC0\xAF,0,1,4"), "t.csv:3: not UTF-8 text"},
        {"Utf8Surrogate", Row("\xED\xA0\x80,0,1,4"), "t.csv:3: not UTF-8 text"},
        {"Utf8TooLarge", Row("\xF4\x90\x80\x80,0,1,4"),
         "t.csv:3: not UTF-8 text"},
        {"Utf8Cut", "# \xE2\x82", "t.csv:1: not UTF-8 text"},
        {"Utf16", std::string("\xFF\xFEi\0d\0,\0", 8),
         "t.csv:1: a NUL byte: not UTF-8 text"},
        {"LateByteOrderMark", "\n\xEF\xBB\xBFid,lower,upper,size\n",
         "t.csv:2: unknown column \"\xEF\xBB\xBFid\"; expected id, lower, "
         "upper, size, alignment, fixed, min, max, group, at, pool, offset, "
         "object, chosen_pool, name, type, shape, producer or consumers "
         "(--ignore-unknown-columns reads past others)"},
        {"LoneCarriageReturn", "id,lower,upper,size\ra,0,1,4\r",
         "t.csv:1: a carriage return without a line feed; expected lines that "
         "end with LF or CRLF"},
        {"QuoteInside", Row("a\"b\",0,1,4"),
         "t.csv:3: a quote inside the field \"a\\\"b\\\"\"; expected the whole "
         "field in quotes and the quote doubled"},
        {"TextAfterQuote", Row("\"a\"b,0,1,4"),
         "t.csv:3: text after the closing quote of \"a\"; expected a comma"},
        {"QuoteNeverClosed", Row("b,0,\"1,4\n\n#"),
         "t.csv:3: a quote that is never closed"},
        {"LinesAreCountedInQuotes", Row("\"b\n\n\",0,1,4\nc,0,1"),
         "t.csv:6: 3 fields; expected 4 as in the header"},
        {"LongLine", std::string(3 << 20, 'a'),
         "t.csv:1: longer than 1048576 bytes"},
        {"LongComment", absl::StrCat("#\n#", std::string(1 << 20, 'a'), "\n"),
         "t.csv:2: longer than 1048576 bytes"},
        {"LongQuote",
         Row(absl::StrCat("b,\"", std::string(600'000, 'a'), "\n",
                          std::string(600'000, 'a'), "\"")),
         "t.csv:3: a quote that is not closed in 1048576 bytes"},
    }),
    [](const auto& test) { return test.param.name; });

class BadNumberTest : public testing::TestWithParam<const char*> {};

TEST_P(BadNumberTest, IsRefused) {
  const auto trace =
      ParseProblemCsv(Row(absl::StrCat("b,0,1,\"", GetParam(), "\"")), "t.csv");
  EXPECT_EQ(std::string(trace.status().message()),
            absl::StrCat("t.csv:3: size is \"", GetParam(),
                         "\"; expected a whole number from 0 to "
                         "18446744073709551615 in digits"));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadNumberTest,
                         testing::Values("", " 1", "-1", "+1", "1e3", "1.0",
                                         "0x10", "1_000", "1 000", "NaN",
                                         "18446744073709551616",
                                         "99999999999999999999999",
                                         "\xD9\xA1"));

TEST(ParseProblemCsvTest, TheLongestLineIsRead) {
  const std::string id((1 << 20) - std::string(",0,1,4\n").size(), 'a');
  const std::string header = "id,lower,upper,size\n";
  EXPECT_TRUE(ParseProblemCsv(absl::StrCat(header, id, ",0,1,4\n"), "").ok());
  EXPECT_FALSE(ParseProblemCsv(absl::StrCat(header, id, "a,0,1,4\n"), "").ok());
}

TEST(ParseProblemCsvTest, LongValuesAreCutInMessages) {
  const auto trace = ParseProblemCsv(
      Row(absl::StrCat("b,0,1,", std::string(10'000, '7'))), "");
  EXPECT_LT(trace.status().message().size(), 200);
}

// Provides a text, `step` bytes at a time, like a slow pipe.
class SlowSource : public ByteSource {
 public:
  SlowSource(absl::string_view text, size_t step) : text_(text), step_(step) {}

  absl::StatusOr<size_t> Read(absl::Span<char> buffer) override {
    return text_.Read(buffer.subspan(0, step_));
  }

 private:
  StringSource text_;
  size_t step_;
};

TEST(ParseProblemCsvTest, PiecesMakeNoDifference) {
  const std::string csv =
      "\xEF\xBB\xBF# c\r\nid,lower,upper,size\r\n\"a\r\n\"\"\",0,1,4\r\n"
      "\xE2\x82\xAC,1,2,5";
  const std::vector<std::string> expected = Records(Parse(csv));
  ASSERT_EQ(expected.size(), 2);
  for (size_t step = 1; step < csv.size(); ++step) {
    SlowSource source(csv, step);
    const auto trace = ParseProblemCsv(&source, "t.csv", CsvOptions());
    ASSERT_TRUE(trace.ok()) << trace.status();
    EXPECT_EQ(Records(*trace), expected);
  }
}

// Provides the same letter without end.
class EndlessSource : public ByteSource {
 public:
  absl::StatusOr<size_t> Read(absl::Span<char> buffer) override {
    std::fill(buffer.begin(), buffer.end(), 'a');
    taken_ += buffer.size();
    return buffer.size();
  }

  size_t taken() const { return taken_; }

 private:
  size_t taken_ = 0;
};

TEST(ParseProblemCsvTest, AnEndlessLineIsGivenUpSoon) {
  EndlessSource source;
  const auto trace = ParseProblemCsv(&source, "t.csv", CsvOptions());
  EXPECT_EQ(std::string(trace.status().message()),
            "t.csv:1: longer than 1048576 bytes");
  EXPECT_LE(source.taken(), size_t{2} << 20);
}

}  // namespace
}  // namespace stowage
