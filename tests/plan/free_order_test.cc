// SPDX-License-Identifier: Apache-2.0
#include "stowage/free_order.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using testing::HasSubstr;

// Returns two chains: task 0 precedes task 2, and task 1 precedes task 3. For
// each of the two edges, there is a record that both of its tasks use.
FreeOrder TwoChains() {
  FreeOrder order;
  order.tasks = 4;
  order.edges = {{0, 2}, {1, 3}};
  order.users = {{{0, 2}, {1, 3}}};
  return order;
}

TEST(FreeOrder, SaysWhichEdgeAnOrderReverses) {
  const auto violation = FindOrderViolation(TwoChains(), {0, 3, 1, 2});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, OrderViolation::Kind::kNotTopological);
  EXPECT_EQ(violation->edge, (TaskEdge{1, 3}));
  EXPECT_EQ(violation->position, 1);
  EXPECT_EQ(violation->other_position, 2);
  EXPECT_EQ(Describe(*violation),
            "order is not topological: task 3 runs at position 1, before task "
            "1 at position 2; expected the edge [1, 3] to be kept");
}

TEST(FreeOrder, SaysWhatIsNoPermutation) {
  struct Case {
    std::vector<TaskId> order;
    OrderViolation::Kind kind;
    const char* text;
  };
  const Case cases[] = {
      {{0, 2, 1},
       OrderViolation::Kind::kWrongLength,
       "order has 3 entries; expected each of 4 tasks once"},
      {{0, 1, 2, 4},
       OrderViolation::Kind::kUnknownTask,
       "order has task 4 at position 3; expected tasks below 4"},
      {{0, 1, 0, 2},
       OrderViolation::Kind::kRepeatedTask,
       "order has task 0 at positions 0 and 2; expected each task once"},
  };
  for (const Case& c : cases) {
    const auto violation = FindOrderViolation(TwoChains(), c.order);
    ASSERT_TRUE(violation) << c.text;
    EXPECT_EQ(violation->kind, c.kind);
    EXPECT_EQ(Describe(*violation), c.text);
  }
}

TEST(FreeOrder, AcceptsEveryTopologicalOrder) {
  for (const std::vector<TaskId>& order :
       {std::vector<TaskId>{0, 1, 2, 3}, {0, 2, 1, 3}, {1, 3, 0, 2}}) {
    EXPECT_FALSE(FindOrderViolation(TwoChains(), order));
  }
  EXPECT_FALSE(FindOrderViolation(FreeOrder(), {}));
}

TEST(FreeOrder, RecordsLiveFromTheirFirstUserToTheLast) {
  const std::vector<TensorUsageRecord<size_t>> records = {{8, 0, 2}, {4, 1, 3}};
  const auto lives = RecordsInOrder(records, TwoChains(), {1, 3, 0, 2});
  ASSERT_EQ(lives.size(), 2);
  EXPECT_EQ(lives[0].tensor_size, 8);
  EXPECT_EQ(lives[0].first_task, 2);
  EXPECT_EQ(lives[0].last_task, 3);
  EXPECT_EQ(lives[1].tensor_size, 4);
  EXPECT_EQ(lives[1].first_task, 0);
  EXPECT_EQ(lives[1].last_task, 1);
}

TEST(FreeOrder, RefusesWhatIsNoOrder) {
  struct Case {
    void (*damage)(FreeOrder*);
    absl::StatusCode code;
    const char* text;
  };
  const Case cases[] = {
      {[](FreeOrder* o) {
         o->edges.push_back({2, 0});
       },
       absl::StatusCode::kInvalidArgument,
       "task 0 and 1 more wait for each other in a cycle"},
      {[](FreeOrder* o) {
         o->edges.push_back({1, 1});
       },
       absl::StatusCode::kInvalidArgument,
       "edge 2 makes task 1 precede itself"},
      {[](FreeOrder* o) {
         o->edges.push_back({1, 4});
       },
       absl::StatusCode::kInvalidArgument, "edge 2 names task 4"},
      {[](FreeOrder* o) {
         o->users = {{{0, 2}, {4}}};
       },
       absl::StatusCode::kInvalidArgument, "record 1 has user 4"},
      {[](FreeOrder* o) {
         o->users = {{{0, 2}, {}}};
       },
       absl::StatusCode::kInvalidArgument, "record 1 has no users"},
      {[](FreeOrder* o) {
         o->users = {{{0, 2}}};
       },
       absl::StatusCode::kInvalidArgument, "users of 1 records"},
      {[](FreeOrder* o) { o->tasks = size_t{1} << 40; },
       absl::StatusCode::kResourceExhausted, "1099511627776 tasks"},
      {[](FreeOrder* o) { o->tasks = size_t{1} << 31; },
       absl::StatusCode::kResourceExhausted, "2147483648 tasks"},
  };
  for (const Case& c : cases) {
    FreeOrder order = TwoChains();
    c.damage(&order);
    const absl::Status status = CheckFreeOrder(order, 2);
    EXPECT_EQ(status.code(), c.code) << c.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.text));
  }
  EXPECT_TRUE(CheckFreeOrder(TwoChains(), 2).ok());
}

}  // namespace
}  // namespace stowage
