// SPDX-License-Identifier: Apache-2.0
// Tests how a trace is written as text, and that the text can be read back.

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/io/problem_file.h"
#include "tests/support/same_trace.h"
#include "tests/support/wild_trace.h"

namespace stowage {
namespace {

constexpr size_t kMax = std::numeric_limits<size_t>::max();

TEST(FormatProblemCsvTest, ColumnsAreThoseThatTheTraceHas) {
  ProblemFile trace;
  EXPECT_EQ(FormatProblemCsv(trace).value(), "id,lower,upper,size\n");
  trace.problem.names = {"a", "b"};
  trace.problem.records = {{7, 0, 0}, {kMax, 5, kMax - 1}};
  EXPECT_EQ(FormatProblemCsv(trace).value(),
            "id,lower,upper,size\n"
            "a,0,1,7\n"
            "b,5,18446744073709551615,18446744073709551615\n");
  trace.problem.alignments = {1, 64};
  trace.problem.fixed_offsets = {absl::nullopt, 20};
  EXPECT_EQ(FormatProblemCsv(trace).value(),
            "id,lower,upper,size,alignment,fixed\n"
            "a,0,1,7,1,\n"
            "b,5,18446744073709551615,18446744073709551615,64,20\n");
  trace.problem.fixed_offsets.clear();
  trace.plan.offsets = {10, 20};
  EXPECT_EQ(FormatProblemCsv(trace).value(),
            "id,lower,upper,size,alignment,offset\n"
            "a,0,1,7,1,10\n"
            "b,5,18446744073709551615,18446744073709551615,64,20\n");
  trace.plan.objects = trace.plan.offsets;
  trace.plan.offsets.clear();
  trace.problem.alignments.clear();
  EXPECT_EQ(FormatProblemCsv(trace).value(),
            "id,lower,upper,size,object\n"
            "a,0,1,7,10\n"
            "b,5,18446744073709551615,18446744073709551615,20\n");
}

struct IdCase {
  const char* id;
  const char* field;
};

TEST(FormatProblemCsvTest, IdsAreQuotedWhereTheyMustBe) {
  const IdCase cases[] = {
      {"a b#c", "a b#c"},       {"a,b", "\"a,b\""},   {"a\"b", R"("a""b")"},
      {" a", "\" a\""},         {"a\t", "\"a\t\""},   {"#a", "\"#a\""},
      {"a\nb", "\"a\nb\""},     {"a\rb", "\"a\rb\""}, {"\"", R"("""")"},
      {"\xC3\xA9", "\xC3\xA9"},
  };
  for (const IdCase& c : cases) {
    ProblemFile trace;
    trace.problem.names = {c.id};
    trace.problem.records = {{1, 0, 0}};
    EXPECT_EQ(FormatProblemCsv(trace).value(),
              absl::StrCat("id,lower,upper,size\n", c.field, ",0,1,1\n"));
  }
}

ProblemFile FileOf(std::vector<std::string> ids,
                   std::vector<TensorUsageRecord<size_t>> records,
                   std::vector<size_t> alignments = {},
                   std::vector<absl::optional<size_t>> fixed_offsets = {},
                   FilePlan plan = {}) {
  ProblemFile file;
  file.problem.names = std::move(ids);
  file.problem.records = std::move(records);
  file.problem.alignments = std::move(alignments);
  file.problem.fixed_offsets = std::move(fixed_offsets);
  file.plan = std::move(plan);
  return file;
}

TEST(FormatProblemCsvTest, OneAlignmentForAllIsAColumn) {
  ProblemFile file = FileOf({"a", "b"}, {{1, 0, 0}, {2, 0, 0}});
  file.problem.alignment = 64;
  EXPECT_EQ(FormatProblemCsv(file).value(),
            "id,lower,upper,size,alignment\na,0,1,1,64\nb,0,1,2,64\n");
}

TEST(FormatProblemCsvTest, WhatNoFileCanExpressIsRefused) {
  ProblemFile graph = FileOf({"a"}, {{1, 0, 0}});
  graph.problem.reallocation_graph = UsageGraph(1);
  ProblemFile groups = FileOf({"a"}, {{1, 0, 0}});
  groups.problem.groups_are_optional = true;
  for (const ProblemFile* file : {&graph, &groups}) {
    EXPECT_TRUE(absl::IsUnimplemented(FormatProblemCsv(*file).status()));
    EXPECT_TRUE(absl::IsUnimplemented(FormatProblemJson(*file).status()));
  }
}

TEST(FormatProblemJsonTest, ListsOfRecordsThatAreNotThereAreRefused) {
  ProblemFile file;
  file.problem.constraints.apart = {{0}};
  EXPECT_EQ(std::string(FormatProblemJson(file).status().message()),
            "record 0 is listed; expected an index below 0");
}

struct RefusedCase {
  const char* name;
  ProblemFile file;
  absl::StatusCode code;
  const char* message;
};

TEST(FormatProblemCsvTest, WhatCouldNotBeReadAgainIsRefused) {
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  const std::vector<TensorUsageRecord<size_t>> one = {{1, 0, 0}};
  const RefusedCase cases[] = {
      {"last task", FileOf({"a"}, {{1, 0, kMax}}),
       absl::StatusCode::kOutOfRange,
       "record 0: its last task is 18446744073709551615, and files store the "
       "task after it; expected less"},
      {"interval", FileOf({"a"}, {{1, 2, 1}}), kInvalid,
       "record 0: its first task 2 is after its last task 1; expected the "
       "first "
       "not after the last"},
      {"empty id", FileOf({""}, one), kInvalid,
       "record 0: its id is empty; expected a unique id"},
      {"id", FileOf({"\xFF"}, one), kInvalid,
       R"(record 0: its id "\377" is not a name; expected UTF-8 text)"},
      {"nul", FileOf({std::string(1, '\0')}, one), kInvalid,
       R"(record 0: its id "\000" is not a name; expected UTF-8 text)"},
      {"long id", FileOf({std::string(1 << 20, 'a')}, one), kInvalid,
       "record 0: its row is too long; expected at most 1048576 bytes"},
      {"same id", FileOf({"a", "a"}, {{1, 0, 0}, {1, 0, 0}}), kInvalid,
       "record 1: its id \"a\" is that of another; expected a unique id"},
      {"alignment", FileOf({"a"}, one, {3}), kInvalid,
       "record 0: its alignment is 3; expected a power of two"},
      {"no ids", FileOf({}, one), kInvalid,
       "0 ids; expected one for each of the 1 records"},
      {"offsets", FileOf({"a"}, one, {}, {}, {{1, 2}, {}}), kInvalid,
       "2 entries in the column offset; expected none or 1"},
      {"fixed offsets", FileOf({"a"}, one, {}, {1, absl::nullopt}), kInvalid,
       "2 entries in the column fixed; expected none or 1"},
      {"two plans", FileOf({"a"}, one, {}, {}, {{1}, {1}}), kInvalid,
       "both offsets and objects; expected one of them"},
  };
  for (const RefusedCase& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = FormatProblemCsv(c.file).status();
    EXPECT_EQ(status.code(), c.code);
    EXPECT_EQ(std::string(status.message()), c.message);
  }
}

RC_GTEST_PROP(TraceCsvProperty, WhatIsWrittenIsReadAgain, ()) {
  const ProblemFile trace =
      support::WildTrace(support::WildTraceMaker::Extent::kCsv);
  const absl::StatusOr<std::string> csv = FormatProblemCsv(trace);
  RC_ASSERT(csv.ok());
  const absl::StatusOr<ProblemFile> again = ParseProblemCsv(*csv, "t.csv");
  RC_ASSERT(again.ok());
  RC_ASSERT(support::DifferenceOf(*again, trace) == "");
}

// Generates text that resembles a trace. The reader either refuses the text or
// reads a trace that can be written and read back.
RC_GTEST_PROP(TraceCsvProperty, WhatIsReadCanBeWritten, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", "b", "0", "1", "2", ",", ",", "\n",
                                    "\n", "\r\n", "\"", "#", " ", "\xC3\xA9",
                                    "\xFF", "a,0,1,4\n", "\"b\",1,2,8\n"));
  std::string csv = "id,lower,upper,size\n";
  for (const std::string& piece : pieces) csv += piece;
  const absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "t.csv");
  if (!trace.ok()) {
    RC_ASSERT(absl::IsInvalidArgument(trace.status()));
    return;
  }
  const absl::StatusOr<std::string> written = FormatProblemCsv(*trace);
  RC_ASSERT(written.ok());
  RC_ASSERT(support::DifferenceOf(ParseProblemCsv(*written, "t.csv").value(),
                                  *trace) == "");
}

}  // namespace
}  // namespace stowage
