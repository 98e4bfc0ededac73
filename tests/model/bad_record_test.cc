// SPDX-License-Identifier: Apache-2.0
// Tests that every kind of bad record is refused. The error carries the index
// of the record, for programs, and a message with the expected value, for
// people.
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/free_order.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"
#include "tests/model/extreme_sizes.h"
#include "tests/model/record_places.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Indices = std::vector<size_t>;

struct BadRecord {
  const char* kind;
  std::function<void(ProblemSpec*)> make_bad;
  Indices records;  // indices of records that the error has to carry
};

// Changes that make a record bad. Each change applies to the same three records
// of 8 bytes, the first two of which conflict.
const BadRecord kBadRecords[] = {
    {"its tasks", [](ProblemSpec* s) { s->records[1].first_task = 9; }, {1}},
    {"its size, in a sum",
     [](ProblemSpec* s) { s->records[1].tensor_size = kMax; },
     {1}},
    {"its size, padded",
     [](ProblemSpec* s) {
       s->records[1].tensor_size = kHalf;
       s->alignments = {1, kHalf, 1};
     },
     {1}},
    {"its alignment",
     [](ProblemSpec* s) {
       s->alignments = {1, 3, 1};
     },
     {1}},
    {"its alignment, 0",
     [](ProblemSpec* s) {
       s->alignments = {1, 1, 0};
     },
     {2}},
    {"a fixed offset that is not aligned",
     [](ProblemSpec* s) {
       s->alignment = 4;
       s->fixed_offsets = {1, 4, 6};
     },
     {0, 2}},
    {"a fixed offset above all",
     [](ProblemSpec* s) {
       s->fixed_offsets = {absl::nullopt, kMax, absl::nullopt};
     },
     {1}},
    {"a fixed offset of a shared object",
     [](ProblemSpec* s) {
       s->kind = PlanKind::kObjects;
       s->fixed_offsets = {absl::nullopt, 0, absl::nullopt};
     },
     {1}},
    {"a place in the order twice",
     [](ProblemSpec* s) {
       s->place_first = {0, 2, 2};
     },
     {2}},
    {"who may take over its object",
     [](ProblemSpec* s) {
       s->reallocation_graph = UsageGraph{{}, {7}, {}};
     },
     {1}},
    {"a range without room",
     [](ProblemSpec* s) {
       s->constraints.places = {{}, InRange(4, 11), {}};
     },
     {1}},
    {"a fixed offset outside its range",
     [](ProblemSpec* s) {
       s->constraints.places = {{}, InRange(4, 20), {}};
       s->fixed_offsets = {absl::nullopt, 0, absl::nullopt};
     },
     {1}},
    {"its least offset",
     [](ProblemSpec* s) {
       s->constraints.places.resize(3);
       s->constraints.places[1].min = kMax;
     },
     {1}},
    {"its displacement",
     [](ProblemSpec* s) {
       s->constraints.places = {InGroup(0), InGroup(kMax), {}};
     },
     {1}},
    {"the extent of its group",
     [](ProblemSpec* s) {
       s->constraints.places = {InGroup(0), InGroup(kMax - 8), {}};
     },
     {1}},
    {"alignments in its group",
     [](ProblemSpec* s) {
       s->alignment = 8;
       s->constraints.places = {InGroup(0), InGroup(4), {}};
     },
     {0, 1}},
    {"fixed offsets in its group",
     [](ProblemSpec* s) {
       s->constraints.places = {InGroup(0), InGroup(8), {}};
       s->fixed_offsets = {0, 32, absl::nullopt};
     },
     {0, 1}},
    {"a fixed offset below its displacement",
     [](ProblemSpec* s) {
       s->constraints.places = {{}, InGroup(8), {}};
       s->fixed_offsets = {absl::nullopt, 4, absl::nullopt};
     },
     {1}},
    {"a pool that is not there",
     [](ProblemSpec* s) {
       s->constraints.choices = {{}, {{0, 0}}, {}};
     },
     {1}},
    {"a pool twice",
     [](ProblemSpec* s) {
       s->constraints.pools = {{"a", 64}};
       s->constraints.choices = {{}, {{0, 0}, {0, 0}}, {}};
     },
     {1}},
    {"its cost",
     [](ProblemSpec* s) {
       s->constraints.pools = {{"a", 64}};
       s->constraints.choices = {{{0, 1}}, {{0, kMax}}, {}};
     },
     {1}},
    {"costs of a preference",
     [](ProblemSpec* s) {
       s->constraints.prefer_apart = {{0, 1, 1}, {1, 2, kMax}};
     },
     {1, 2}},
    {"a preference for itself",
     [](ProblemSpec* s) {
       s->constraints.prefer_apart = {{1, 1, 1}};
     },
     {1}},
    {"one place for itself",
     [](ProblemSpec* s) {
       s->constraints.same_or_apart = {{1, 1}};
     },
     {1}},
    {"a pair with itself",
     [](ProblemSpec* s) {
       s->constraints.never = {{1, 1}};
     },
     {1}},
    {"a pair twice",
     [](ProblemSpec* s) {
       s->constraints.never = {{0, 1}, {1, 0}};
     },
     {0, 1}},
    {"twice in a set",
     [](ProblemSpec* s) {
       s->constraints.apart = {{0, 1, 1}};
     },
     {1}},
    {"a set twice",
     [](ProblemSpec* s) {
       s->constraints.apart = {{0, 1}, {1, 0}};
     },
     {0, 1}},
    {"apart, but one in its group",
     [](ProblemSpec* s) {
       s->constraints.places = {InGroup(0), InGroup(4), {}};
       s->constraints.apart = {{0, 1}};
     },
     {0, 1}},
    {"no users",
     [](ProblemSpec* s) {
       s->constraints.order = *TaskOrder::FromEdges(5, {});
       s->constraints.users =
           UserLists(std::vector<std::vector<TaskId>>{{0, 1}, {}, {3, 4}});
     },
     {1}},
    {"a user that is not there",
     [](ProblemSpec* s) {
       s->constraints.order = *TaskOrder::FromEdges(5, {});
       s->constraints.users =
           UserLists(std::vector<std::vector<TaskId>>{{0, 1}, {1, 9}, {3, 4}});
     },
     {1}},
    {"users beside its tasks",
     [](ProblemSpec* s) {
       s->constraints.order = *TaskOrder::FromEdges(5, {});
       s->constraints.users =
           UserLists(std::vector<std::vector<TaskId>>{{0, 1}, {1}, {3, 4}});
     },
     {1}},
};

void ExpectNames(const absl::Status& status, const Indices& records) {
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(RecordsOf(status), records) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("; expected "));
}

TEST(BadRecordTest, IsCarriedByTheErrorOfAProblem) {
  for (const BadRecord& bad : kBadRecords) {
    SCOPED_TRACE(bad.kind);
    ProblemSpec spec;
    spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 3, 4}};
    ASSERT_TRUE(Problem::Create(spec).ok());
    bad.make_bad(&spec);
    ExpectNames(Problem::Create(std::move(spec)).status(), bad.records);
  }
}

TEST(BadRecordTest, IsCarriedByTheErrorsOfTheClassicFunctions) {
  OffsetsAssignment plan;
  ExpectNames(AssignOffsetsToTensors({{8, 0, 1}, {8, 3, 2}},
                                     MemoryStrategy::GREEDY_BY_SIZE, &plan),
              {1});
  const auto expect_bad = [](const auto& bad) {
    using Size = decltype(bad.tensor_size);
    ObjectsAssignment<Size> objects;
    ExpectNames(
        AssignObjectsToTensors<Size>({{Size(), 0, 1}, bad, {Size(), 3, 4}},
                                     MemoryStrategy::NAIVE, &objects),
        {1});
  };
  constexpr uint32_t kLarge = 1u << 31;
  constexpr int32_t kWide = 1 << 30;
  expect_bad(TensorUsageRecord<uint2>(uint2(1, 1), 9, 2));
  expect_bad(TensorUsageRecord<uint3>(uint3(kLarge, kLarge, kLarge), 1, 2));
  expect_bad(TensorUsageRecord<BHWC>(BHWC(1, -1, 1, 1), 1, 2));
  expect_bad(TensorUsageRecord<BHWC>(BHWC(kWide, kWide, kWide, kWide), 1, 2));
}

TEST(BadRecordTest, IsCarriedWhereAPlanBecomesAnother) {
  const std::vector<size_t> alignments = {8, 12};
  ExpectNames(ObjectsToOffsets({{0, 0}, {8}}, Alignments(alignments)).status(),
              {1});
  ExpectNames(ObjectsToOffsets({{0, 3}, {8}}).status(), {1});
}

TEST(BadRecordTest, IsCarriedByTheErrorsOfAFreeOrder) {
  FreeOrder order;
  order.tasks = 2;
  order.users = UserLists(std::vector<std::vector<TaskId>>{{0}, {}});
  ExpectNames(CheckFreeOrder(order, 2), {1});
  order.users = UserLists(std::vector<std::vector<TaskId>>{{0}, {5}});
  ExpectNames(CheckFreeOrder(order, 2), {1});
}

// An error that concerns all records together names no record, but its message
// still contains the expected value.
TEST(BadRecordTest, MistakesOfNoRecordSayWhatWasExpected) {
  const struct {
    const char* subject;
    std::function<void(ProblemSpec*)> make_bad;
  } cases[] = {
      {"alignment: ", [](ProblemSpec* s) { s->alignment = 3; }},
      {"alignments: ", [](ProblemSpec* s) { s->alignments = {1}; }},
      {"names: ", [](ProblemSpec* s) { s->names = {"a"}; }},
      {"fixed offsets: ", [](ProblemSpec* s) { s->fixed_offsets = {0}; }},
      {"places: ", [](ProblemSpec* s) { s->constraints.places.resize(1); }},
      {"users: ",
       [](ProblemSpec* s) {
         s->constraints.order = *TaskOrder::FromEdges(5, {});
         s->constraints.users = UserLists(std::vector<std::vector<TaskId>>{});
       }},
      {"apart set 0: ",
       [](ProblemSpec* s) {
         s->constraints.apart = {{0, 9}};
       }},
      {"records to place first: ",
       [](ProblemSpec* s) { s->place_first = {3}; }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.subject);
    ProblemSpec spec;
    spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 3, 4}};
    c.make_bad(&spec);
    const absl::Status status = Problem::Create(std::move(spec)).status();
    EXPECT_THAT(std::string(status.message()), StartsWith(c.subject));
    EXPECT_THAT(std::string(status.message()), HasSubstr("; expected "));
    EXPECT_TRUE(RecordsOf(status).empty());
  }
}

}  // namespace
}  // namespace stowage
