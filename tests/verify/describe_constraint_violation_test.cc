// SPDX-License-Identifier: Apache-2.0
// Tests the texts that describe how a plan violates a constraint, for records
// with and without names.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

struct Broken {
  std::function<void(ProblemSpec*)> change;
  OffsetsAssignment plan;
  const char* message;
};

RecordPlace PlaceOf(size_t min, absl::optional<size_t> max) {
  RecordPlace place;
  place.min = min;
  place.max = max;
  return place;
}

RecordPlace MemberAt(size_t at) {
  RecordPlace place;
  place.group = 3;
  place.at = at;
  return place;
}

void AddTwoPools(ProblemSpec* spec) {
  spec->constraints.pools = {{"sram", 16}, {"dram", absl::nullopt}};
  spec->constraints.choices = {{{1, 0}}, {}, {}};
}

void AddOrder(const std::vector<std::vector<TaskId>>& streams,
              const UserLists& users, ProblemSpec* spec) {
  spec->constraints.order = *TaskOrder::FromStreams(streams, {});
  spec->constraints.users = users;
}

TEST(DescribeConstraintViolationTest, SaysWhatIsExpected) {
  const Broken cases[] = {
      {[](auto* s) {
         s->constraints.places = {PlaceOf(8, {}), {}, {}};
       },
       {{4, 16, 24}, 32},
       "tensor 'a' holds bytes [4, 8); expected none below byte 8"},
      {[](auto* s) {
         s->constraints.places = {PlaceOf(0, 10), {}, {}};
       },
       {{4, 16, 24}, 32},
       "tensor 'a' holds bytes [10, 12); expected none from byte 10 on"},
      {[](auto* s) {
         s->constraints.places = {MemberAt(8), MemberAt(0), {}};
       },
       {{9, 0, 24}, 32},
       "tensor 'a' starts at byte 9; expected 8 bytes above tensor 'b' of its "
       "group, which starts at byte 0"},
      {[](auto* s) {
         s->constraints.places = {MemberAt(8), MemberAt(16), {}};
       },
       {{7, 15, 24}, 32},
       "tensor 'a' starts at byte 7; expected at least 8, where its group "
       "starts at byte 0"},
      {[](auto* s) {
         s->constraints.holes = {{20, 30, 0, 1}, {2, 4, 1, 9}};
       },
       {{0, 8, 30}, 40},
       "tensor 'a' holds bytes [2, 4) in hole 1 at task 1"},
      {[](auto* s) {
         s->constraints.apart = {{0, 2}};
       },
       {{0, 8, 4}, 32},
       "tensor 'a' and tensor 'c' both hold bytes [4, 8); expected them to "
       "share no byte at any time"},
      {[](auto* s) {
         s->constraints.same_or_apart = {{1, 0}};
       },
       {{0, 4, 16}, 32},
       "tensor 'a' and tensor 'b' may lie in one place or apart; they share "
       "bytes [4, 8) only"},
      {AddTwoPools,
       {{0, 0, 8}, 64, {0, 0, 0}},
       "tensor 'a' is in pool 'sram'; expected one that it may use"},
      {AddTwoPools,
       {{0, 0, 8}, 64, {1, 2, 0}},
       "tensor 'b' is in pool 2; expected one that it may use"},
      {AddTwoPools,
       {{0, 0, 8}, 64, {1, 0}},
       "tensor 'c' has no pool; expected one that it may use"},
      {[](auto* s) {
         AddTwoPools(s);
         s->constraints.places = {MemberAt(0), {}, MemberAt(0)};
       },
       {{0, 8, 0}, 64, {1, 0, 0}},
       "tensor 'c' is in pool 'sram'; expected pool 'dram', which tensor 'a' "
       "of its group is in"},
      {AddTwoPools,
       {{0, 0, 9}, 64, {1, 0, 0}},
       "tensor 'c' holds bytes [9, 17), beyond the 16 bytes of pool 'sram'"},
      {AddTwoPools,
       {{0, 0, 8}, 23, {1, 0, 0}},
       "tensor 'a' holds bytes [0, 8) of pool 'dram', beyond the 7 bytes that "
       "the total leaves"},
      {AddTwoPools,
       {{0, 4, 8}, 64, {1, 1, 0}},
       "tensor 'a' and tensor 'b' both hold bytes [4, 8) of pool 'dram' at "
       "task "
       "1"},
      {[](auto* s) {
         AddOrder({{0, 1, 2, 3, 4}}, {{{0, 1}, {1, 2}, {3, 4}}}, s);
       },
       {{0, 4, 16}, 64},
       "tensor 'a' and tensor 'b' both hold bytes [4, 8), and task 1 uses "
       "both"},
      {[](auto* s) {
         AddOrder({{0, 1, 2, 3, 4}}, {{{0, 1}, {1, 2}, {3, 4}}}, s);
         s->constraints.same_or_apart = {{0, 1}};
       },
       {{4, 0, 16}, 64},
       "tensor 'a' and tensor 'b' may lie in one place or apart; they share "
       "bytes [4, 8) only"},
      {[](auto* s) {
         AddOrder({{0, 1, 2}, {3, 4}}, {{{0, 1}, {1, 2}, {3, 4}}}, s);
       },
       {{0, 8, 4}, 64},
       "tensor 'a' and tensor 'c' both hold bytes [4, 8), and task 0 of the "
       "first and task 3 of the second may run at once"},
      {[](auto* s) {
         s->records[2] = {8, 0, 4};
         AddOrder({{0, 1, 2, 3, 4}}, {{{0, 1}, {1, 2}, {0, 4}}}, s);
       },
       {{8, 0, 4}, 64},
       "tensor 'b' and tensor 'c' both hold bytes [4, 8), and task 1 of the "
       "first runs between tasks 0 and 4 of the second"}};
  for (const Broken& c : cases) {
    SCOPED_TRACE(c.message);
    ProblemSpec spec;
    spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 3, 4}};
    spec.names = {"a", "b", "c"};
    c.change(&spec);
    const auto problem = Problem::Create(spec);
    ASSERT_THAT(problem, support::IsOk());
    const auto violation = FindViolation(*problem, c.plan);
    ASSERT_TRUE(violation);
    EXPECT_EQ(Describe(*violation, *problem), c.message);
  }
}

TEST(DescribeConstraintViolationTest, PoolsAreOfProblemsThatHaveThem) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}};
  const auto problem = Problem::Create(spec);
  const auto violation = FindViolation(*problem, {{0}, 8, {0}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(Describe(*violation),
            "tensor 0 is in pool 0; expected one that it may use");
}

}  // namespace
}  // namespace stowage
