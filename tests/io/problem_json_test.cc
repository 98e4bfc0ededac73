// SPDX-License-Identifier: Apache-2.0
// Tests the meaning of each field of a problem file. docs/problem-format.md
// describes the fields in prose.

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/io/read_json.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

ProblemFile Parse(absl::string_view json) {
  absl::StatusOr<ProblemFile> trace = ParseProblemJson(json, "p.json");
  EXPECT_TRUE(trace.ok()) << trace.status();
  return trace.ok() ? *std::move(trace) : ProblemFile();
}

// Returns a problem of two records. `rest` has further fields of the problem.
std::string WithTwo(absl::string_view rest) {
  return absl::StrCat(R"({"records":[{"id":"a","size":4,"lower":0,"upper":2},)"
                      R"({"id":"b","size":8,"lower":1,"upper":3}])",
                      rest, "}");
}

TEST(ProblemJson, RecordsAreThoseOfATrace) {
  const ProblemFile trace = Parse(WithTwo(""));
  EXPECT_THAT(trace.problem.names, ElementsAre("a", "b"));
  EXPECT_EQ(trace.problem.records[1].tensor_size, 8);
  EXPECT_EQ(trace.problem.records[1].first_task, 1);
  EXPECT_EQ(trace.problem.records[1].last_task, 2);
  EXPECT_THAT(trace.problem.alignments, IsEmpty());
  EXPECT_THAT(trace.problem.fixed_offsets, IsEmpty());
  EXPECT_THAT(trace.plan.offsets, IsEmpty());
  EXPECT_TRUE(trace.problem.constraints.empty());
  EXPECT_FALSE(trace.problem.capacity.has_value());
}

TEST(ProblemJson, FieldsOfARecordMayBeInAnyOrderAndMissing) {
  const ProblemFile trace = Parse(
      R"({"capacity": 64, "records": [
          {"upper": 2, "lower": 0, "size": 4, "id": "a"},
          {"id": "b", "size": 8, "lower": 1, "upper": 3, "alignment": 16,
           "fixed": 32, "min": 8, "max": 48, "group": "g", "at": 3},
          {"id": "c", "size": 1, "lower": 1, "upper": 3, "group": "g"}]})");
  EXPECT_THAT(trace.problem.alignments, ElementsAre(1, 16, 1));
  EXPECT_THAT(trace.problem.fixed_offsets,
              ElementsAre(absl::nullopt, 32, absl::nullopt));
  ASSERT_EQ(trace.problem.constraints.places.size(), 3);
  EXPECT_EQ(trace.problem.constraints.places[0].group, kNoGroup);
  const RecordPlace& place = trace.problem.constraints.places[1];
  EXPECT_EQ(place.min, 8);
  EXPECT_EQ(place.max, 48);
  EXPECT_EQ(place.group, 0);
  EXPECT_EQ(place.at, 3);
  EXPECT_EQ(trace.problem.constraints.places[2].group, 0);
  EXPECT_EQ(trace.problem.constraints.places[2].at, 0);
  EXPECT_THAT(trace.problem.labels.groups, ElementsAre("g"));
  EXPECT_EQ(trace.problem.capacity, 64);
}

TEST(ProblemJson, AnAlignmentBesideTheRecordsIsTheirDefault) {
  const std::string record = R"({"id":"a","size":4,"lower":0,"upper":2)";
  const std::string records = absl::StrCat(
      R"("records":[)", record, R"(},{"id":"b","size":8,"lower":1,)",
      R"("upper":3,"alignment":8},{"id":"c","size":8,"lower":1,)",
      R"("upper":3}])");
  for (const std::string& json :
       {absl::StrCat(R"({"alignment":64,)", records, "}"),
        absl::StrCat("{", records, R"(,"alignment":64})")}) {
    EXPECT_THAT(Parse(json).problem.alignments, ElementsAre(64, 8, 64));
  }
  EXPECT_THAT(Parse(WithTwo(R"(,"alignment":32)")).problem.alignments,
              ElementsAre(32, 32));
  EXPECT_THAT(Parse(WithTwo(R"(,"alignment":1)")).problem.alignments,
              IsEmpty());
}

TEST(ProblemJson, IdsMayComeBeforeTheirRecords) {
  const ProblemFile trace = Parse(
      R"({"never": [["b", "a"]], "apart": [["a", "b"]],
          "prefer_apart": [{"first": "b", "second": "a", "cost": 7}],
          "same_or_apart": [["a", "b"], ["b", "a", 4096]],
          "records": [{"id": "a", "size": 4, "lower": 0, "upper": 2},
                      {"id": "b", "size": 8, "lower": 1, "upper": 3}]})");
  EXPECT_THAT(trace.problem.constraints.never, ElementsAre(Pair(1, 0)));
  EXPECT_THAT(trace.problem.constraints.apart, ElementsAre(ElementsAre(0, 1)));
  ASSERT_EQ(trace.problem.constraints.prefer_apart.size(), 1);
  EXPECT_EQ(trace.problem.constraints.prefer_apart[0].first, 1);
  EXPECT_EQ(trace.problem.constraints.prefer_apart[0].second, 0);
  EXPECT_EQ(trace.problem.constraints.prefer_apart[0].cost, 7);
  const auto& shared = trace.problem.constraints.same_or_apart;
  ASSERT_EQ(shared.size(), 2);
  EXPECT_EQ(shared[0].first, 0);
  EXPECT_EQ(shared[0].second, 1);
  EXPECT_EQ(shared[0].copied, 0);
  EXPECT_EQ(shared[1].first, 1);
  EXPECT_EQ(shared[1].copied, 4096);
}

TEST(ProblemJson, AHoleWithoutTasksIsForAllTime) {
  const ProblemFile trace = Parse(WithTwo(
      R"(,"holes":[{"begin":2,"end":4},{"begin":2,"end":4,"lower":1,"upper":3}])"));
  ASSERT_EQ(trace.problem.constraints.holes.size(), 2);
  EXPECT_EQ(trace.problem.constraints.holes[0].begin, 2);
  EXPECT_EQ(trace.problem.constraints.holes[0].end, 4);
  EXPECT_EQ(trace.problem.constraints.holes[0].first_task, 0);
  EXPECT_EQ(trace.problem.constraints.holes[0].last_task,
            std::numeric_limits<TaskId>::max());
  EXPECT_EQ(trace.problem.constraints.holes[1].first_task, 1);
  EXPECT_EQ(trace.problem.constraints.holes[1].last_task, 2);
}

TEST(ProblemJson, PoolsAreNumberedAsTheyAreDeclared) {
  const ProblemFile trace = Parse(
      R"({"records": [
          {"id": "a", "size": 4, "lower": 0, "upper": 2,
           "pools": [{"name": "dram", "cost": 5}, {"name": "sram"}],
           "offset": 0, "pool": "dram"},
          {"id": "b", "size": 8, "lower": 1, "upper": 3, "pools": [],
           "offset": 16, "pool": "sram"}],
          "holes": [{"begin": 0, "end": 1, "pool": "dram"}],
          "pools": [{"name": "sram", "capacity": 64}, {"name": "dram"}]})");
  const Constraints& constraints = trace.problem.constraints;
  ASSERT_EQ(constraints.pools.size(), 2);
  EXPECT_EQ(constraints.pools[0].name, "sram");
  EXPECT_EQ(constraints.pools[0].capacity, 64);
  EXPECT_FALSE(constraints.pools[1].capacity.has_value());
  ASSERT_EQ(constraints.choices.size(), 2);
  ASSERT_EQ(constraints.choices[0].size(), 2);
  EXPECT_EQ(constraints.choices[0][0].pool, 1);
  EXPECT_EQ(constraints.choices[0][0].cost, 5);
  EXPECT_EQ(constraints.choices[0][1].pool, 0);
  EXPECT_EQ(constraints.choices[0][1].cost, 0);
  EXPECT_THAT(constraints.choices[1], IsEmpty());
  EXPECT_EQ(constraints.holes[0].pool, 1);
  EXPECT_THAT(trace.plan.offsets, ElementsAre(0, 16));
  EXPECT_THAT(trace.plan.chosen_pools, ElementsAre(1, 0));
  // The total is the sum, over the two pools, of the highest end in the pool.
  EXPECT_EQ(OffsetsOf(trace.problem, trace.plan)->total_size, 4 + 24);
}

TEST(ProblemJson, IntervalsBoundTheUsers) {
  const ProblemFile trace = Parse(
      R"({"records": [{"id": "a", "size": 4, "users": [2, 0]},
                      {"id": "b", "size": 8, "users": [1]}],
          "tasks": 3, "edges": [[0, 2]], "order": "partial"})");
  EXPECT_EQ(trace.problem.records[0].first_task, 0);
  EXPECT_EQ(trace.problem.records[0].last_task, 2);
  ASSERT_TRUE(trace.problem.constraints.order.has_value());
  EXPECT_FALSE(trace.problem.constraints.order->is_of_streams());
  EXPECT_TRUE(trace.problem.constraints.order->Precedes(0, 2));
  EXPECT_FALSE(trace.problem.constraints.order->Precedes(0, 1));
  EXPECT_THAT(trace.problem.constraints.users[0], ElementsAre(2, 0));
}

TEST(ProblemJson, StreamsNeedNoNumberOfTasks) {
  const ProblemFile trace = Parse(
      R"({"records": [{"id": "a", "size": 4, "users": [2]}],
          "streams": [[0, 1], [2]], "waits": [[1, 2]], "order": "partial"})");
  ASSERT_TRUE(trace.problem.constraints.order.has_value());
  EXPECT_EQ(trace.problem.constraints.order->tasks(), 3);
  EXPECT_TRUE(trace.problem.constraints.order->is_of_streams());
  EXPECT_TRUE(trace.problem.constraints.order->Precedes(0, 2));
}

TEST(ProblemJson, APlanOfObjectsHasTheirNumbers) {
  EXPECT_THAT(
      Parse(
          R"({"records":[{"id":"a","size":4,"lower":0,"upper":2,"object":7}]})")
          .plan.objects,
      ElementsAre(7));
}

TEST(ProblemJson, SaysWhatATensorIsAndWhoUsesIt) {
  const std::string json =
      R"({"records":[
{"id":"a","size":4,"lower":0,"upper":2,"name":"conv","type":"int8","shape":"1x4","producer":0,"consumers":[1,3]},
{"id":"b","size":8,"lower":1,"upper":3}],
"operators":[
"CONV_2D",
"",
" a|b "]}
)";
  const ProblemFile trace = Parse(json);
  ASSERT_EQ(trace.problem.labels.tensors.size(), 2);
  EXPECT_EQ(trace.problem.labels.tensors[0].name, "conv");
  EXPECT_EQ(trace.problem.labels.tensors[0].type, "int8");
  EXPECT_EQ(trace.problem.labels.tensors[0].shape, "1x4");
  EXPECT_EQ(trace.problem.labels.tensors[0].producer, 0);
  EXPECT_THAT(trace.problem.labels.tensors[0].consumers, ElementsAre(1, 3));
  EXPECT_EQ(trace.problem.labels.tensors[1].producer, absl::nullopt);
  EXPECT_THAT(trace.problem.labels.operators,
              ElementsAre("CONV_2D", "", " a|b "));
  EXPECT_EQ(FormatProblemJson(trace).value(), json);
}

TEST(ProblemJson, WhatItDoesNotHoldOfANameIsWrittenVisibly) {
  ProblemFile trace = Parse(WithTwo(""));
  trace.problem.labels.tensors.resize(2);
  trace.problem.labels.tensors[0].name = "caf\xE9\n";
  trace.problem.labels.operators = {"\x1b"};
  const ProblemFile again = Parse(FormatProblemJson(trace).value());
  EXPECT_EQ(again.problem.labels.tensors[0].name, "caf\\xe9\\x0a");
  EXPECT_THAT(again.problem.labels.operators, ElementsAre("\\x1b"));
}

TEST(ProblemJson, NoRecordsAreAProblem) {
  EXPECT_THAT(Parse(R"({"records":[]})").problem.records, IsEmpty());
  const absl::StatusOr<std::string> written = FormatProblemJson(ProblemFile());
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, "{\"records\":[]}\n");
}

TEST(ProblemJson, BlanksAndAByteOrderMarkAreReadPast) {
  EXPECT_EQ(Parse("\xEF\xBB\xBF \r\n\t{\"records\": [ ] }\n\n")
                .problem.records.size(),
            0);
}

TEST(ProblemJson, IsToldFromATraceByItsFirstBytes) {
  EXPECT_TRUE(problem_file::IsProblem("{\"records\":[]}"));
  EXPECT_TRUE(problem_file::IsProblem("\xEF\xBB\xBF \n\t{"));
  EXPECT_FALSE(problem_file::IsProblem("id,lower,upper,size\n"));
  EXPECT_FALSE(problem_file::IsProblem("# {\n"));
  EXPECT_FALSE(problem_file::IsProblem(""));
}

TEST(ProblemJson, AFreeOrderIsChosenByAPlan) {
  constexpr absl::string_view kFree =
      R"({"records":[{"id":"a","size":4,"users":[0]},
                     {"id":"b","size":8,"users":[0, 1]}],
          "tasks":2,"edges":[],"operators":["ADD","MUL"],"order":"free")";
  const absl::Status missing =
      InChosenOrder(Parse(absl::StrCat(kFree, "}"))).status();
  EXPECT_TRUE(absl::IsUnimplemented(missing));
  EXPECT_EQ(std::string(missing.message()),
            "order: is \"free\", and only planning chooses one; expected "
            "\"partial\", lower and upper in every record, or the "
            "execution_order of a plan");
  const absl::StatusOr<ProblemFile> chosen =
      InChosenOrder(Parse(absl::StrCat(kFree, ",\"execution_order\":[1, 0]}")));
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_FALSE(chosen->problem.free_order.has_value());
  EXPECT_THAT(chosen->plan.execution_order, IsEmpty());
  EXPECT_EQ(chosen->problem.records[0].first_task, 1);
  EXPECT_EQ(chosen->problem.records[1].first_task, 0);
  EXPECT_THAT(chosen->problem.labels.operators, ElementsAre("MUL", "ADD"));
  const absl::Status invalid =
      InChosenOrder(Parse(absl::StrCat(kFree, ",\"execution_order\":[1]}")))
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(invalid));
}

TEST(ProblemJson, IsWrittenWithARecordOnEachLine) {
  ProblemFile trace = Parse(WithTwo(R"(,"capacity":12)"));
  trace.plan.offsets = {0, 4};
  const absl::StatusOr<std::string> written = FormatProblemJson(trace);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, R"({"records":[
{"id":"a","size":4,"lower":0,"upper":2,"offset":0},
{"id":"b","size":8,"lower":1,"upper":3,"offset":4}],
"capacity":12}
)");
}

TEST(ProblemJson, IsNotWrittenWithUsersThatAreNotOfTheInterval) {
  ProblemFile trace = Parse(
      R"({"records": [{"id": "a", "size": 4, "users": [1]}],
          "tasks": 2, "edges": [], "order": "partial"})");
  trace.problem.records[0].first_task = 0;
  const absl::Status status = FormatProblemJson(trace).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(),
            "record 0: its users are of tasks 1 to 1; expected those of its "
            "interval");
}

}  // namespace
}  // namespace stowage
