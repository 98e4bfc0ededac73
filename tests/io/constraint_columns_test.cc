// SPDX-License-Identifier: Apache-2.0
// Tests the columns that describe constraints, and the columns that MiniMalloc
// uses.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/task_order.h"
#include "tests/support/same_trace.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProblemFile Read(absl::string_view csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "t.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : ProblemFile();
}

// Returns "id@first-last:size" for each record. If the record is in a group,
// the text also has the name of the group, "+" and the offset in the group.
std::vector<std::string> Placed(const ProblemFile& trace) {
  std::vector<std::string> result;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    const auto& record = trace.problem.records[i];
    std::string text =
        absl::StrCat(trace.problem.names[i], "@", record.first_task, "-",
                     record.last_task, ":", record.tensor_size);
    if (!trace.problem.constraints.places.empty() &&
        trace.problem.constraints.places[i].group != kNoGroup) {
      const RecordPlace& place = trace.problem.constraints.places[i];
      absl::StrAppend(&text, " ", trace.problem.labels.groups[place.group], "+",
                      place.at);
    }
    result.push_back(std::move(text));
  }
  return result;
}

TEST(ConstraintColumns, EmptyCellsAskForNothing) {
  const ProblemFile trace = Read(
      "id,lower,upper,size,min,max,group,at,pool\n"
      "a,0,1,4,8,64,g,0,sram:0|dram:5\n"
      "b,0,1,4,,,,,\n"
      "c,0,1,4,,,g,16,dram\n"
      "d,0,1,4,,,h,,\n");
  const Constraints& constraints = trace.problem.constraints;
  ASSERT_EQ(constraints.places.size(), 4);
  EXPECT_EQ(constraints.places[0].min, 8);
  EXPECT_EQ(constraints.places[0].max, 64);
  EXPECT_EQ(constraints.places[1].min, 0);
  EXPECT_EQ(constraints.places[1].max, absl::nullopt);
  EXPECT_THAT(Placed(trace), ElementsAre("a@0-0:4 g+0", "b@0-0:4",
                                         "c@0-0:4 g+16", "d@0-0:4 h+0"));
  ASSERT_EQ(constraints.pools.size(), 2);
  EXPECT_EQ(constraints.pools[0].name, "sram");
  EXPECT_EQ(constraints.pools[1].name, "dram");
  EXPECT_EQ(constraints.pools[1].capacity, absl::nullopt);
  ASSERT_EQ(constraints.choices.size(), 4);
  ASSERT_EQ(constraints.choices[0].size(), 2);
  EXPECT_EQ(constraints.choices[0][1].pool, 1);
  EXPECT_EQ(constraints.choices[0][1].cost, 5);
  EXPECT_THAT(constraints.choices[1], IsEmpty());
  ASSERT_EQ(constraints.choices[2].size(), 1);
  EXPECT_EQ(constraints.choices[2][0].cost, 0);
}

TEST(ConstraintColumns, AnEmptyAlignmentIsOne) {
  const ProblemFile trace = Read(
      "id,lower,upper,size,alignment\n"
      "a,0,1,4,64\n"
      "b,0,1,4,\n"
      "c,0,1,4,\"\"\n");
  EXPECT_THAT(trace.problem.alignments, ElementsAre(64, 1, 1));
  const std::string csv = FormatProblemCsv(trace).value();
  EXPECT_EQ(csv,
            "id,lower,upper,size,alignment\n"
            "a,0,1,4,64\n"
            "b,0,1,4,1\n"
            "c,0,1,4,1\n");
  EXPECT_EQ(support::DifferenceOf(Read(csv), trace), "");
  // An empty cell means alignment 1. This also holds for the parts of a buffer.
  EXPECT_THAT(Read("id,lower,upper,size,alignment,gaps\nb,0,9,18,,3-5@2:13\n")
                  .problem.alignments,
              ElementsAre(1, 1, 1));
}

TEST(ConstraintColumns, ColumnsOfEmptyCellsAreNoConstraints) {
  EXPECT_TRUE(Read("id,lower,upper,size,min,max,group,at,pool\n"
                   "a,0,1,4,,,,,\n")
                  .problem.constraints.empty());
}

TEST(ConstraintColumns, APlanSaysWhichPoolsItHasChosen) {
  const ProblemFile trace = Read(
      "id,lower,upper,size,offset,pool,chosen_pool\n"
      "a,0,1,4,0,sram:0|dram:5,dram\n"
      "b,0,1,4,8,,sram\n");
  EXPECT_THAT(trace.plan.chosen_pools, ElementsAre(1, 0));
  EXPECT_EQ(OffsetsOf(trace.problem, trace.plan)->total_size, 4 + 12);
  EXPECT_THAT(OffsetsOf(trace.problem, trace.plan)->pools, ElementsAre(1, 0));
  EXPECT_EQ(FormatProblemCsv(trace).value(),
            "id,lower,upper,size,pool,offset,chosen_pool\n"
            "a,0,1,4,sram:0|dram:5,0,dram\n"
            "b,0,1,4,,8,sram\n");
}

struct BeyondCsv {
  const char* name;
  void (*add)(ProblemFile* trace);
  const char* what;
};

TEST(ConstraintColumns, WhatTheyCannotSayIsRefusedByName) {
  const BeyondCsv cases[] = {
      {"holes",
       [](ProblemFile* t) {
         t->problem.constraints.holes = {{0, 4, 0, 0, 0}};
       },
       "holes"},
      {"apart",
       [](ProblemFile* t) {
         t->problem.constraints.apart = {{0, 1}};
       },
       "sets of records apart"},
      {"never",
       [](ProblemFile* t) {
         t->problem.constraints.never = {{0, 1}};
       },
       "records that are never live together"},
      {"prefer_apart",
       [](ProblemFile* t) {
         t->problem.constraints.prefer_apart = {{0, 1, 7}};
       },
       "preferences to lie apart"},
      {"same_or_apart",
       [](ProblemFile* t) {
         t->problem.constraints.same_or_apart = {{0, 1, 7}};
       },
       "pairs that may lie in one place"},
      {"order",
       [](ProblemFile* t) {
         t->problem.constraints.order = TaskOrder::FromEdges(1, {}).value();
       },
       "a partial order"},
      {"capacity", [](ProblemFile* t) { t->problem.capacity = 64; },
       "a capacity"},
      {"capacity of a pool",
       [](ProblemFile* t) {
         t->problem.constraints.pools = {{"p", 64}};
       },
       "a pool with a capacity"},
      {"name of a pool",
       [](ProblemFile* t) {
         t->problem.constraints.pools = {{"p|q", absl::nullopt}};
       },
       "a name of a pool with ':' or '|'"},
      {"unused pool",
       [](ProblemFile* t) {
         t->problem.constraints.pools = {{"p", absl::nullopt}};
       },
       "pools in an order of their own"},
      {"order of pools",
       [](ProblemFile* t) {
         t->problem.constraints.pools = {{"p", absl::nullopt},
                                         {"q", absl::nullopt}};
         t->problem.constraints.choices = {{{1, 0}}, {{0, 0}}};
       },
       "pools in an order of their own"},
  };
  for (const BeyondCsv& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemFile trace = Read("id,lower,upper,size\na,0,1,4\nb,0,1,4\n");
    c.add(&trace);
    EXPECT_EQ(FormatProblemCsv(trace).status(),
              absl::UnimplementedError(
                  absl::StrCat("trace: CSV has no column for ", c.what,
                               "; expected a problem file")));
  }
}

TEST(MiniMallocColumns, EndIsTheLastTask) {
  EXPECT_THAT(Placed(Read("buffer_id,start,end,size\n7,0,3,16\n8,5,5,4\n")),
              ElementsAre("7@0-3:16", "8@5-5:4"));
  EXPECT_THAT(Placed(Read("buffer,begin,upper,size\n7,0,3,16\n")),
              ElementsAre("7@0-2:16"));
}

TEST(MiniMallocColumns, HintsAreReadPast) {
  EXPECT_THAT(Placed(Read("id,lower,upper,size,hint\na,0,3,16,-1\nb,0,1,4,\n")),
              ElementsAre("a@0-2:16", "b@0-0:4"));
}

TEST(MiniMallocColumns, AGapPartsABufferInTime) {
  EXPECT_THAT(Placed(Read("id,lower,upper,size,gaps\n"
                          "a,5,10,15,\n"
                          "b,6,12,18,7-8 9-10\n")),
              ElementsAre("a@5-9:15", "b@6-6:18 b+0", "b#2@8-8:18 b+0",
                          "b#3@10-11:18 b+0"));
}

TEST(MiniMallocColumns, GapsOfAnInclusiveEndAreInclusive) {
  EXPECT_THAT(
      Placed(Read("id,start,end,size,gaps\nb,6,11,18,7-7 9-9\n")),
      ElementsAre("b@6-6:18 b+0", "b#2@8-8:18 b+0", "b#3@10-11:18 b+0"));
}

TEST(MiniMallocColumns, AWindowIsARowOfItsOwn) {
  EXPECT_THAT(Placed(Read("id,lower,upper,size,gaps\nb,0,9,18,3-5@2:13\n")),
              ElementsAre("b@0-2:18 b+0", "b#2@3-4:11 b+2", "b#3@5-8:18 b+0"));
}

TEST(MiniMallocColumns, AGapMayBeAtTheBeginningOrTheEnd) {
  EXPECT_THAT(Placed(Read("id,lower,upper,size,gaps\nb,0,9,18,0-2 7-9\n")),
              ElementsAre("b@2-6:18"));
  EXPECT_THAT(Placed(Read("id,lower,upper,size,gaps\nb,0,9,18,0-9@4:6\n")),
              ElementsAre("b@0-8:2 b+4"));
  EXPECT_THAT(
      Placed(Read("id,lower,upper,size,gaps\n"
                  "b,0,18446744073709551615,18,9-18446744073709551615\n")),
      ElementsAre("b@0-8:18"));
}

TEST(MiniMallocColumns, AlignmentIsOfTheStartOfTheBuffer) {
  const ProblemFile whole =
      Read("id,lower,upper,size,alignment,gaps\nb,0,9,18,8,3-5@2:13\n");
  EXPECT_THAT(whole.problem.alignments, ElementsAre(8, 1, 8));
  // The buffer has no part at its start, so the reader adds an empty part
  // there, which gets the alignment of the buffer.
  const ProblemFile part =
      Read("id,lower,upper,size,alignment,gaps\nb,0,9,18,8,0-9@2:13\n");
  EXPECT_THAT(Placed(part), ElementsAre("b@0-0:0 b+0", "b#2@0-8:11 b+2"));
  EXPECT_THAT(part.problem.alignments, ElementsAre(8, 1));
}

TEST(MiniMallocColumns, OffsetsAreOfTheStartOfTheBuffer) {
  EXPECT_THAT(Read("id,lower,upper,size,gaps,offset\nb,0,9,18,3-5@2:13,64\n")
                  .plan.offsets,
              ElementsAre(64, 66, 64));
}

TEST(MiniMallocColumns, AreWrittenAsColumnsOfTraces) {
  const ProblemFile trace =
      Read("buffer_id,start,end,size,gaps\nb,0,8,18,3-4@2:13\n");
  const std::string csv = FormatProblemCsv(trace).value();
  EXPECT_EQ(csv,
            "id,lower,upper,size,group,at\n"
            "b,0,3,18,b,0\n"
            "b#2,3,5,11,b,2\n"
            "b#3,5,9,18,b,0\n");
  EXPECT_EQ(support::DifferenceOf(Read(csv), trace), "");
}

struct BadColumns {
  const char* name;
  std::string csv;
  const char* message;
};

class BadColumnsTest : public testing::TestWithParam<BadColumns> {};

TEST_P(BadColumnsTest, AreRefused) {
  const absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv(GetParam().csv, "t.csv");
  ASSERT_FALSE(trace.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(trace.status()));
  EXPECT_EQ(std::string(trace.status().message()), GetParam().message);
}

std::string Gaps(absl::string_view gaps) {
  return absl::StrCat("id,lower,upper,size,gaps\nb,2,9,18,", gaps, "\n");
}

std::string Pools(absl::string_view cell) {
  return absl::StrCat("id,lower,upper,size,pool\nb,2,9,18,", cell, "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadColumnsTest,
    testing::ValuesIn<BadColumns>({
        {"AtWithoutColumnGroup", "id,lower,upper,size,at\n",
         "t.csv:1: column at without column group; expected both"},
        {"AtWithoutGroup", "id,lower,upper,size,group,at\na,0,1,4,,7\n",
         "t.csv:2: at is \"7\" without a group; expected it to be empty"},
        {"Max", "id,lower,upper,size,max\na,0,1,4,-1\n",
         "t.csv:2: max is \"-1\"; expected a whole number from 0 to "
         "18446744073709551615 in digits"},
        {"ChosenPoolWithoutOffset", "id,lower,upper,size,chosen_pool\n",
         "t.csv:1: column chosen_pool without column offset; expected both"},
        {"NoChosenPool", "id,lower,upper,size,offset,chosen_pool\na,0,1,4,0,\n",
         "t.csv:2: chosen_pool is \"\"; expected the name of a pool"},
        {"PoolWithoutName", Pools("sram:0|:5"),
         "t.csv:2: pool: no pool is called \"\"; expected pools and their "
         "costs, as in \"sram:0|dram:5\""},
        {"PoolWithoutCost", Pools("sram:"),
         "t.csv:2: pool: the cost of pool \"sram\" is \"\"; expected pools and "
         "their costs, as in \"sram:0|dram:5\""},
        {"NegativeCost", Pools("sram:-1"),
         "t.csv:2: pool: the cost of pool \"sram\" is \"-1\"; expected pools "
         "and their costs, as in \"sram:0|dram:5\""},
        {"RepeatedPool", Pools("sram:1|sram:2"),
         "t.csv:2: pool: pool \"sram\" is named twice; expected pools and "
         "their costs, as in \"sram:0|dram:5\""},
        {"TwoNamesOfOneColumn", "id,buffer_id,lower,upper,size\n",
         "t.csv:1: columns \"id\" and \"buffer_id\" have one meaning; expected "
         "one of them"},
        {"UpperAndEnd", "id,lower,upper,end,size\n",
         "t.csv:1: columns \"upper\" and \"end\" have one meaning; expected "
         "one of them"},
        {"GapsAndGroups", "id,lower,upper,size,group,gaps\n",
         "t.csv:1: columns \"gaps\" and \"group\" are of two formats; expected "
         "the columns of MiniMalloc or those of a trace"},
        {"StartAndFixed", "id,fixed,start,upper,size\n",
         "t.csv:1: columns \"start\" and \"fixed\" are of two formats; "
         "expected the columns of MiniMalloc or those of a trace"},
        {"EndBeforeStart", "id,start,end,size\na,3,2,4\n",
         "t.csv:2: end is 2; expected at least start, which is 3: end is the "
         "last task"},
        {"GapOfOneNumber", Gaps("7"),
         "t.csv:2: gap \"7\"; expected two tasks, as in \"7-9\" or "
         "\"7-9@0:64\""},
        {"GapOfThreeNumbers", Gaps("3-4-5"),
         "t.csv:2: gap \"3-4-5\"; expected two tasks, as in \"7-9\" or "
         "\"7-9@0:64\""},
        {"GapOfNoTask", Gaps("4-4"),
         "t.csv:2: gap \"4-4\" has no task; expected its first task before its "
         "end"},
        {"GapBeforeTheBuffer", Gaps("1-3"),
         "t.csv:2: gap \"1-3\" is outside the lifetime of its buffer; expected "
         "tasks of its interval"},
        {"GapAfterTheBuffer", Gaps("8-10"),
         "t.csv:2: gap \"8-10\" is outside the lifetime of its buffer; "
         "expected "
         "tasks of its interval"},
        {"WindowBeyondTheBuffer", Gaps("3-4@0:19"),
         "t.csv:2: gap \"3-4@0:19\" has no valid byte range; expected "
         "begin and end of the bytes that stay, of 18"},
        {"EmptyWindow", Gaps("3-4@5:5"),
         "t.csv:2: gap \"3-4@5:5\" has no valid byte range; expected "
         "begin and end of the bytes that stay, of 18"},
        {"GapsThatOverlap", Gaps("5-7 3-6"),
         "t.csv:2: two gaps contain task 5; expected disjoint gaps"},
        {"GapOfTheWholeLife", Gaps("2-9"),
         "t.csv:2: gaps cover the whole lifetime of the buffer; expected a "
         "task "
         "without one"},
        {"IdOfAPart", "id,lower,upper,size,gaps\nb#2,0,1,4,\nb,2,9,18,4-5\n",
         "t.csv:3: id \"b#2\" repeats line 2; expected a unique id"},
        {"OffsetOfAPart",
         "id,lower,upper,size,gaps,offset\n"
         "b,2,9,18,4-5@2:3,18446744073709551615\n",
         "t.csv:2: offset is 18446744073709551615; expected less, so that its "
         "gaps are below 2^64"},
    }),
    [](const testing::TestParamInfo<BadColumns>& cases) {
      return std::string(cases.param.name);
    });

}  // namespace
}  // namespace stowage
