// SPDX-License-Identifier: Apache-2.0
// Tests plans of problems that change.
#include "stowage/replan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ProblemSpec SpecOf(std::vector<ByteRecord> records, size_t alignment = 1) {
  ProblemSpec spec;
  spec.records = std::move(records);
  spec.alignment = alignment;
  return spec;
}

VerifiedPlan Verified(const ProblemSpec& spec, std::vector<size_t> offsets,
                      size_t total) {
  auto plan = VerifiedPlan::Create(
      *Problem::Create(spec), OffsetsAssignment{std::move(offsets), total});
  EXPECT_THAT(plan, IsOk());
  return *plan;
}

struct Change {
  const char* name;
  std::vector<ByteRecord> before;
  std::vector<size_t> offsets;
  std::vector<ByteRecord> after;
  size_t alignment_after = 1;
  std::vector<size_t> expected_offsets = {};
  std::vector<size_t> expected_moved = {};
  size_t expected_total = 0;
  bool was_valid = false;
};

// Problems before and after a change, with the expected plan if no search finds
// a smaller one.
const Change kChanges[] = {
    {"nothing changes",
     {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}},
     {8, 0, 8},
     {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}},
     1,
     {8, 0, 8},
     {},
     24,
     true},
    {"a record grows into free bytes",
     {{16, 0, 1}, {8, 1, 2}, {8, 2, 3}},
     {8, 0, 8},
     {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}},
     1,
     {8, 0, 8},
     {},
     24,
     true},
    {"the highest record grows, and with it the arena",
     {{16, 0, 1}, {16, 0, 1}},
     {0, 16},
     {{16, 0, 1}, {17, 0, 1}},
     1,
     {0, 16},
     {},
     33,
     false},
    {"a record grows into another one and moves into the lowest gap",
     {{4, 0, 1}, {4, 0, 1}, {8, 0, 1}, {32, 1, 2}, {16, 2, 3}},
     {0, 4, 8, 16, 0},
     {{4, 0, 1}, {4, 0, 1}, {8, 0, 1}, {32, 1, 2}, {17, 2, 3}},
     1,
     {0, 4, 8, 16, 48},
     {4},
     65,
     false},
    {"a longer lifetime meets another record",
     {{8, 0, 1}, {8, 2, 3}, {24, 0, 0}},
     {0, 0, 8},
     {{8, 0, 1}, {8, 1, 3}, {24, 0, 0}},
     1,
     {0, 8, 8},
     {1},
     32,
     false},
    {"the highest record shrinks, and with it the arena",
     {{16, 0, 1}, {16, 0, 1}},
     {0, 16},
     {{16, 0, 1}, {15, 0, 1}},
     1,
     {0, 16},
     {},
     31,
     true},
    {"an alignment moves a record",
     {{8, 0, 0}, {8, 0, 1}, {32, 1, 1}},
     {0, 8, 16},
     {{8, 0, 0}, {8, 0, 1}, {32, 1, 1}},
     16,
     {0, 48, 16},
     {1},
     56,
     false},
    {"a record without bytes fits everywhere",
     {{16, 0, 1}, {8, 0, 1}},
     {0, 16},
     {{16, 0, 1}, {0, 0, 1}},
     1,
     {0, 16},
     {},
     16,
     true},
    {"two records exchange their sizes",
     {{8, 0, 1}, {16, 0, 1}},
     {0, 8},
     {{16, 0, 1}, {8, 0, 1}},
     1,
     {0, 16},
     {1},
     24,
     false},
};

TEST(ReplanTest, KeepsWhatFitsAndMovesTheRest) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    size_t total = 0;
    for (size_t i = 0; i < change.before.size(); ++i) {
      total = std::max(total, change.offsets[i] + change.before[i].tensor_size);
    }
    const VerifiedPlan plan =
        Verified(SpecOf(change.before), change.offsets, total);
    ReplanOptions options;
    options.cost_per_moved_byte = 1000;  // no plan of a search is worth it
    const Problem after =
        *Problem::Create(SpecOf(change.after, change.alignment_after));
    const auto next = Replan(after, plan, options);
    ASSERT_THAT(next, IsOk());
    EXPECT_EQ(next->plan.plan().offsets, change.expected_offsets);
    EXPECT_EQ(next->plan.plan().total_size, change.expected_total);
    EXPECT_EQ(next->plan.solution().total_size, change.expected_total);
    EXPECT_EQ(next->moved, change.expected_moved);
    EXPECT_EQ(next->was_valid, change.was_valid);
    EXPECT_FALSE(FindViolation(after, next->plan.plan()));
    EXPECT_LE(next->plan.solution().lower_bound, change.expected_total);
  }
}

TEST(ReplanTest, ProvesThePlanThatEqualsTheBytesLiveAtThePeak) {
  const VerifiedPlan plan =
      Verified(SpecOf({{16, 0, 1}, {8, 1, 2}, {8, 2, 3}}), {8, 0, 8}, 24);
  const auto next = Replan(
      *Problem::Create(SpecOf({{20, 0, 1}, {8, 1, 2}, {8, 2, 3}})), plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_THAT(next->moved, IsEmpty());
  EXPECT_EQ(next->plan.solution().status, SolutionStatus::kOptimal);
  EXPECT_EQ(next->plan.solution().reason,
            "the total equals the bytes live at task 1");
  EXPECT_EQ(next->plan.solution().lower_bound, 28u);
}

TEST(ReplanTest, ProvesThePlanOfRecordsWithoutBytes) {
  const VerifiedPlan plan = Verified(SpecOf({{0, 0, 1}, {0, 1, 2}}), {0, 0}, 0);
  const auto next =
      Replan(*Problem::Create(SpecOf({{0, 0, 2}, {0, 1, 2}})), plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ(next->plan.solution().status, SolutionStatus::kOptimal);
  EXPECT_EQ(next->plan.solution().reason, "no record needs any bytes");
}

TEST(ReplanTest, SearchesIfTheTotalGrows) {
  // The first record grows and would be moved above all others, although a plan
  // of 24 bytes exists.
  const VerifiedPlan plan =
      Verified(SpecOf({{8, 0, 1}, {8, 1, 2}, {8, 2, 3}}), {0, 8, 0}, 16);
  const Problem after =
      *Problem::Create(SpecOf({{16, 0, 1}, {8, 1, 2}, {8, 2, 3}}));
  const auto next = Replan(after, plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ(next->plan.solution().total_size, 24u);
  EXPECT_NE(next->plan.solution().found_by, "replan");
  EXPECT_FALSE(next->was_valid);
  // At this cost, a plan that moves 8 more bytes is better only if it is
  // smaller by more than 8 bytes.
  ReplanOptions costly;
  costly.cost_per_moved_byte = 1;
  const auto kept = Replan(after, plan, costly);
  ASSERT_THAT(kept, IsOk());
  EXPECT_LE(kept->moved_bytes, next->moved_bytes);
}

TEST(ReplanTest, SearchesIfTheArenaWouldBeMuchTooLarge) {
  std::vector<ByteRecord> large;
  std::vector<ByteRecord> small;
  std::vector<size_t> offsets;
  for (size_t i = 0; i < 10; ++i) {
    large.emplace_back(1000, i, i + 1);
    small.emplace_back(100, i, i + 1);
    offsets.push_back(i % 2 * 1000);
  }
  const VerifiedPlan plan = Verified(SpecOf(large), offsets, 2000);
  const auto next = Replan(*Problem::Create(SpecOf(small)), plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_TRUE(next->was_valid);
  EXPECT_EQ(next->plan.solution().total_size, 200u);
  ReplanOptions costly;
  costly.cost_per_moved_byte = 100;
  const auto kept = Replan(*Problem::Create(SpecOf(small)), plan, costly);
  ASSERT_THAT(kept, IsOk());
  EXPECT_THAT(kept->moved, IsEmpty());
  EXPECT_EQ(kept->plan.solution().total_size, 1100u);
}

TEST(ReplanTest, MovesOnlyWhatMayMove) {
  const ProblemSpec before = SpecOf({{8, 0, 1}, {8, 0, 1}, {8, 0, 1}});
  const VerifiedPlan plan = Verified(before, {0, 8, 16}, 24);
  const Problem after =
      *Problem::Create(SpecOf({{12, 0, 1}, {8, 0, 1}, {8, 0, 1}}));
  ReplanOptions options;
  options.movable = {1};
  const auto next = Replan(after, plan, options);
  ASSERT_THAT(next, IsOk());
  EXPECT_THAT(next->plan.plan().offsets, ElementsAre(0, 24, 16));
  EXPECT_THAT(next->moved, ElementsAre(1));
  EXPECT_EQ(next->moved_bytes, 8u);
  EXPECT_EQ(next->plan.solution().lower_bound, 28u);
  options.movable = {2};
  EXPECT_THAT(Replan(after, plan, options),
              FailsWith(absl::StatusCode::kFailedPrecondition, HasSubstr("")));
  options.movable = std::vector<size_t>();
  EXPECT_THAT(Replan(*Problem::Create(before), plan, options), IsOk());
  options.movable = {3};
  EXPECT_THAT(Replan(after, plan, options),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "movable: there is no record 3; expected one of 3"));
}

TEST(ReplanTest, KeepsTheCapacity) {
  ProblemSpec spec = SpecOf({{8, 0, 1}, {8, 0, 1}});
  const VerifiedPlan plan = Verified(spec, {0, 8}, 16);
  spec.records[0].tensor_size = 12;
  spec.capacity = 20;
  const auto next = Replan(*Problem::Create(spec), plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ(next->plan.solution().total_size, 20u);
  spec.capacity = 19;
  EXPECT_THAT(
      Replan(*Problem::Create(spec), plan),
      FailsWith(absl::StatusCode::kFailedPrecondition, HasSubstr("19")));
  spec.records[0].tensor_size = 8;
  spec.capacity = 15;  // the plan is safe, but too large
  EXPECT_THAT(
      Replan(*Problem::Create(spec), plan),
      FailsWith(absl::StatusCode::kFailedPrecondition, HasSubstr("15")));
}

TEST(ReplanTest, RefusesWhatItCannotPlan) {
  const VerifiedPlan plan = Verified(SpecOf({{8, 0, 1}}), {0}, 8);
  EXPECT_THAT(Replan(*Problem::Create(SpecOf({{8, 0, 1}, {8, 0, 1}})), plan),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "records: 2; expected 1, as in the previous problem"));
  ProblemSpec objects = SpecOf({{8, 0, 1}});
  objects.kind = PlanKind::kObjects;
  EXPECT_THAT(Replan(*Problem::Create(objects), plan),
              FailsWith(absl::StatusCode::kUnimplemented, HasSubstr("kind")));
  ProblemSpec graph = SpecOf({{8, 0, 1}});
  graph.reallocation_graph = UsageGraph(1);
  EXPECT_THAT(Replan(*Problem::Create(graph), plan),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("reallocation graph")));
  ProblemSpec fixed = SpecOf({{8, 0, 1}});
  fixed.fixed_offsets = {8};
  ReplanOptions options;
  options.movable = {0};
  EXPECT_THAT(
      Replan(*Problem::Create(fixed), plan, options),
      FailsWith(absl::StatusCode::kUnimplemented, HasSubstr("movable")));
  const auto moved = Replan(*Problem::Create(fixed), plan);
  ASSERT_THAT(moved, IsOk());
  EXPECT_THAT(moved->plan.plan().offsets, ElementsAre(8));
  ReplanOptions unknown;
  unknown.strategy = "best";
  EXPECT_THAT(
      Replan(plan.problem(), plan, unknown),
      FailsWith(absl::StatusCode::kNotFound, HasSubstr("no strategy 'best'")));
}

TEST(VerifiedPlanTest, RefusesPlansThatAreUnsafe) {
  const Problem problem = *Problem::Create(SpecOf({{8, 0, 1}, {8, 1, 2}}));
  const auto unsafe =
      VerifiedPlan::Create(problem, OffsetsAssignment{{0, 4}, 12});
  EXPECT_THAT(unsafe, FailsWith(absl::StatusCode::kInvalidArgument,
                                HasSubstr("both hold bytes [4, 8)")));
  EXPECT_TRUE(ViolationOf(unsafe.status()));
  EXPECT_THAT(VerifiedPlan::Create(problem, Solution()),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("there is no plan")));
  ProblemSpec small = SpecOf({{8, 0, 1}});
  small.capacity = 10;
  EXPECT_THAT(
      VerifiedPlan::Create(*Problem::Create(small), OffsetsAssignment{{8}, 16}),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("above the capacity")));
  small.kind = PlanKind::kObjects;
  EXPECT_THAT(VerifiedPlan::Create(*Problem::Create(small), Solution()),
              FailsWith(absl::StatusCode::kUnimplemented, HasSubstr("kind")));
}

// Changes some records randomly, and sometimes all records.
void ChangeAtRandom(std::vector<ByteRecord>* records) {
  const size_t changes = *rc::gen::element<size_t>(0, 1, 1, 1, 2, 5, 20);
  for (size_t k = 0; k < changes && !records->empty(); ++k) {
    ByteRecord& record =
        (*records)[*rc::gen::inRange<size_t>(0, records->size())];
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        record.tensor_size = *rc::gen::inRange<size_t>(0, 1 << 21);
        break;
      case 1:
        record.tensor_size += record.tensor_size / 4;
        break;
      case 2:
        record.first_task -= std::min<TaskId>(record.first_task,
                                              *rc::gen::inRange<TaskId>(0, 4));
        break;
      default:
        record.last_task = std::max(record.last_task, record.first_task + 3);
    }
  }
}

// Replans after each change in a chain of random changes. Every plan is fully
// verified, and its claims are compared with those of a fresh plan.
RC_GTEST_PROP(ReplanPropertyTest, EveryPlanIsSafeAndItsClaimsAreTrue, ()) {
  ProblemSpec spec = SpecOf(*testing::AnyRecords());
  for (const ByteRecord& record : spec.records) {
    RC_PRE(record.tensor_size < size_t{1} << 40);
    RC_PRE(record.last_task < ~TaskId{0} - 8);
  }
  spec.alignments = *testing::AlignmentLists(spec.records.size());
  const Problem first = *Problem::Create(spec);
  auto plan = VerifiedPlan::Create(first, *Solve(first, "skyline"));
  RC_ASSERT(plan.ok());
  ReplanOptions options;
  options.cost_per_moved_byte = *rc::gen::element<uint64_t>(0, 1, 1000);
  for (int step = 0; step < 4; ++step) {
    ChangeAtRandom(&spec.records);
    const auto problem = Problem::Create(spec);
    RC_PRE(problem.ok());
    const auto next = Replan(*problem, *plan, options);
    RC_ASSERT(next.ok());
    const OffsetsAssignment& offsets = next->plan.plan();
    RC_ASSERT(!FindViolation(*problem, offsets));
    const OffsetsAssignment& before = plan->plan();
    RC_ASSERT(next->was_valid == !FindViolation(*problem, before));
    size_t bytes = 0;
    for (size_t i = 0; i < spec.records.size(); ++i) {
      const bool is_moved = before.offsets[i] != offsets.offsets[i];
      RC_ASSERT(is_moved ==
                std::binary_search(next->moved.begin(), next->moved.end(), i));
      bytes += is_moved ? spec.records[i].tensor_size : 0;
    }
    RC_ASSERT(bytes == next->moved_bytes);
    const Solution& solution = next->plan.solution();
    RC_ASSERT(solution.total_size == offsets.total_size);
    RC_ASSERT(solution.lower_bound <= LowerBoundOf(*problem).bytes);
    if (solution.status == SolutionStatus::kOptimal) {
      RC_ASSERT(solution.total_size == LowerBoundOf(*problem).bytes);
    }
    if (options.cost_per_moved_byte == 0 &&
        solution.total_size > before.total_size) {
      RC_ASSERT(solution.total_size <= Solve(*problem, "skyline")->total_size);
    }
    plan = next->plan;
  }
}

RC_GTEST_PROP(ReplanPropertyTest, OthersKeepTheirOffsets, ()) {
  ProblemSpec spec = SpecOf(*rc::gen::scale(0.5, testing::AnyRecords()));
  const Problem first = *Problem::Create(spec);
  const auto plan = VerifiedPlan::Create(first, *Solve(first, "skyline"));
  RC_ASSERT(plan.ok());
  for (const ByteRecord& record : spec.records) {
    RC_PRE(record.tensor_size < size_t{1} << 40);
    RC_PRE(record.last_task < ~TaskId{0} - 8);
  }
  ChangeAtRandom(&spec.records);
  ReplanOptions options;
  options.movable.emplace();
  for (size_t i = 0; i < spec.records.size(); ++i) {
    if (*rc::gen::arbitrary<bool>()) options.movable->push_back(i);
  }
  const auto problem = Problem::Create(spec);
  RC_PRE(problem.ok());
  const auto next = Replan(*problem, *plan, options);
  RC_CLASSIFY(next.ok(), "planned");
  if (!next.ok()) {
    RC_ASSERT(absl::IsFailedPrecondition(next.status()));
    return;
  }
  RC_ASSERT(!FindViolation(*problem, next->plan.plan()));
  RC_ASSERT(std::includes(options.movable->begin(), options.movable->end(),
                          next->moved.begin(), next->moved.end()));
}

RC_GTEST_PROP(ReplanPropertyTest, ConstraintsAreKept, ()) {
  ProblemSpec spec = *rc::gen::scale(0.3, testing::AnyProblems());
  const auto problem = Problem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto solution = Solve(*problem, "optimal");
  RC_PRE(solution.ok() && solution->has_plan());
  const auto plan = VerifiedPlan::Create(*problem, *solution);
  RC_ASSERT(plan.ok());
  RC_PRE(!spec.records.empty());
  spec.records[0].tensor_size /= 2;
  const auto changed = Problem::Create(spec);
  RC_PRE(changed.ok());
  const auto next = Replan(*changed, *plan);
  RC_CLASSIFY(next.ok(), "planned");
  if (next.ok()) RC_ASSERT(!FindViolation(*changed, next->plan.plan()));
}

// In each step, one of 10,000 records grows. The plan stays within 2 % of a
// fresh plan, and most steps move at most one record.
TEST(ReplanTest, StaysCloseToAFreshPlan) {
  ProblemSpec spec = SpecOf(testing::RandomRecords(testing::Family::kLongLived,
                                                   /*seed=*/1, /*size=*/10000));
  const Problem first = *Problem::Create(spec);
  auto plan = VerifiedPlan::Create(first, *Solve(first, "skyline"));
  ASSERT_THAT(plan, IsOk());
  size_t with_a_move = 0;
  size_t with_few_moves = 0;
  for (size_t step = 0; step < 20; ++step) {
    ByteRecord& record = spec.records[step * 487];
    record.tensor_size += step % 3 == 2 ? record.tensor_size : 4096;
    const Problem problem = *Problem::Create(spec);
    const auto next = Replan(problem, *plan);
    ASSERT_THAT(next, IsOk());
    with_a_move += next->moved.empty() ? 0 : 1;
    with_few_moves += next->moved.size() <= 1 ? 1 : 0;
    EXPECT_FALSE(FindViolation(problem, next->plan.plan()));
    const size_t fresh = Solve(problem, "skyline")->total_size;
    EXPECT_LE(next->plan.solution().total_size - fresh / 50, fresh);
    plan = next->plan;
  }
  EXPECT_GT(with_a_move, 2u);
  EXPECT_GE(with_few_moves, 15u);
}

TEST(ReplanTest, PlansManyChangesInFull) {
  // The product of 3000 records and 3000 changes exceeds the limit up to which
  // records are moved one by one.
  std::vector<ByteRecord> records = testing::RandomRecords(
      testing::Family::kChains, /*seed=*/1, /*size=*/3000);
  const Problem first = *Problem::Create(SpecOf(records));
  const auto plan = VerifiedPlan::Create(first, *Solve(first, "skyline"));
  ASSERT_THAT(plan, IsOk());
  for (ByteRecord& record : records) record.tensor_size *= 2;
  const Problem twice = *Problem::Create(SpecOf(records));
  const auto next = Replan(twice, *plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_FALSE(next->was_valid);
  EXPECT_FALSE(FindViolation(twice, next->plan.plan()));
  EXPECT_LE(next->plan.solution().total_size,
            Solve(twice, "skyline")->total_size);
}

}  // namespace
}  // namespace stowage
