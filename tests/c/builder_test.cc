// SPDX-License-Identifier: Apache-2.0
// Tests that a builder can express everything that a ProblemSpec can.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/c/handles.h"
#include "stowage/c/stowage.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/specs.h"
#include "tests/c/c_handles.h"
#include "tests/support/status_matchers.h"

namespace stowage::c_test {
namespace {

// This function stops compiling if a struct gains or loses a field. A new field
// needs a name here, and also a function of the builder, a line in BuilderOf
// (c_handles.cc), and a value in the cases below.
[[maybe_unused]] void EveryFieldIsKnown() {
  ProblemSpec spec;
  [[maybe_unused]] auto& [kind, records, alignment, alignments, capacity,
                          reallocation_graph, fixed_offsets, place_first,
                          constraints, free_order, groups_are_optional, names,
                          labels] = spec;
  [[maybe_unused]] auto& [places, group_word, holes, apart, never, prefer_apart,
                          same_or_apart, pools, choices, order, users] =
      constraints;
  // The C interface does not support programs; a separate library converts them
  // to problems.
  [[maybe_unused]] auto& [tensors, operators, groups, readers, lifetimes,
                          program] = labels;
  RecordPlace place;
  [[maybe_unused]] auto& [min, max, group, at] = place;
  Hole hole;
  [[maybe_unused]] auto& [begin, end, first_task, last_task, pool] = hole;
  MemoryPool memory;
  [[maybe_unused]] auto& [pool_name, pool_capacity] = memory;
  PoolChoice choice;
  [[maybe_unused]] auto& [chosen, cost] = choice;
  SharedPlace shared;
  [[maybe_unused]] auto& [one, other, copied] = shared;
  ApartPreference preference;
  [[maybe_unused]] auto& [first, second, preference_cost] = preference;
  TensorInfo info;
  [[maybe_unused]] auto& [name, type, shape, producer, consumers] = info;
  FreeOrder free;
  [[maybe_unused]] auto& [tasks, edges, free_users] = free;
}

// Checks that two specs are equal. Two orders of tasks are equal if the same
// tasks precede each other.
void ExpectSame(const ProblemSpec& a, const ProblemSpec& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.alignment, b.alignment);
  EXPECT_EQ(a.alignments, b.alignments);
  EXPECT_EQ(a.capacity, b.capacity);
  EXPECT_EQ(a.reallocation_graph, b.reallocation_graph);
  EXPECT_EQ(a.fixed_offsets, b.fixed_offsets);
  EXPECT_EQ(a.place_first, b.place_first);
  EXPECT_EQ(a.groups_are_optional, b.groups_are_optional);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.constraints.group_word, b.constraints.group_word);
  EXPECT_EQ(a.labels.operators, b.labels.operators);
  EXPECT_EQ(a.labels.groups, b.labels.groups);
  EXPECT_EQ(a.labels.readers, b.labels.readers);
  EXPECT_EQ(a.labels.lifetimes, b.labels.lifetimes);
  ASSERT_EQ(a.labels.tensors.size(), b.labels.tensors.size());
  for (size_t i = 0; i < a.labels.tensors.size(); ++i) {
    const TensorInfo& one = a.labels.tensors[i];
    const TensorInfo& other = b.labels.tensors[i];
    EXPECT_EQ(
        std::tie(one.name, one.type, one.shape, one.producer, one.consumers),
        std::tie(other.name, other.type, other.shape, other.producer,
                 other.consumers));
  }
  ASSERT_EQ(a.constraints.pools.size(), b.constraints.pools.size());
  for (size_t i = 0; i < a.constraints.pools.size(); ++i) {
    EXPECT_EQ(a.constraints.pools[i].name, b.constraints.pools[i].name);
  }
  // The fingerprint covers all other fields, since each of them affects plans.
  EXPECT_EQ(Problem::Create(a)->fingerprint(),
            Problem::Create(b)->fingerprint());
}

void ExpectBuilt(const ProblemSpec& spec) {
  ASSERT_TRUE(Problem::Create(spec).ok()) << Problem::Create(spec).status();
  const ProblemHandle problem = ProblemOf(spec);
  ASSERT_NE(problem, nullptr);
  ExpectSame(problem->problem.ToSpec(), Problem::Create(spec)->ToSpec());
}

TEST(Builder, BuildsEveryConstraintOfOffsets) {
  ProblemSpec spec;
  spec.records = {{64, 0, 3}, {16, 4, 5}, {48, 4, 6}, {32, 1, 2}, {48, 5, 6}};
  spec.alignments = {16, 16, 16, 8, 1};
  spec.capacity = 4096;
  spec.fixed_offsets.resize(5);
  spec.fixed_offsets[4] = 512;
  spec.place_first = {3, 1};
  Constraints& c = spec.constraints;
  c.places = {{0, 1024, 7, 0}, {0, {}, 7, 0}, {0, {}, 7, 16}, {8, 600}, {}};
  c.group_word = "gaps";
  c.holes = {{200, 300, 1, 2, 0}};
  c.apart = {{0, 3}};
  c.never = {{1, 4}};
  c.prefer_apart = {{2, 3, 9}};
  c.same_or_apart = {{2, 4, 16}};
  spec.names = {"a", "b", "c", "d", "\xFF"};
  spec.labels.operators = {"CONV_2D", "ADD"};
  spec.labels.groups = {"", "x"};
  spec.labels.readers = {1, 2, 3, 0, 1};
  spec.labels.lifetimes = "plain";
  spec.labels.tensors = {{"t", "int8", "1x2", 0, {1, 2}}, {}, {}, {}, {}};
  ExpectBuilt(spec);
}

TEST(Builder, BuildsPools) {
  ProblemSpec spec;
  spec.records = {{64, 0, 3}, {16, 2, 5}};
  spec.constraints.pools = {{"fast", 64}, {"slow", {}}};
  spec.constraints.choices = {{{0, 0}, {1, 5}}, {}};
  ExpectBuilt(spec);
}

TEST(Builder, BuildsSharedObjectsWithAGraph) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = {{64, 0, 1}, {16, 2, 5}, {8, 6, 7}};
  spec.reallocation_graph = UsageGraph{{1}, {0, 2}, {1}};
  ExpectBuilt(spec);
  spec.reallocation_graph = UsageGraph{{}, {}, {}};
  ExpectBuilt(spec);
}

TEST(Builder, BuildsOptionalGroups) {
  ProblemSpec spec;
  spec.records = {{64, 0, 3}, {16, 2, 5}};
  spec.constraints.places = {{0, {}, 1, 0}, {0, {}, 1, 64}};
  spec.groups_are_optional = true;
  ExpectBuilt(spec);
}

TEST(Builder, BuildsOrders) {
  ProblemSpec spec;
  spec.records = {{64, 0, 1}, {16, 1, 2}};
  spec.constraints.users = std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}};
  const std::vector<TaskEdge> edges = {{0, 1}, {1, 2}};
  spec.constraints.order = *TaskOrder::FromEdges(3, edges);
  ExpectBuilt(spec);
  const std::vector<TaskEdge> waits = {{0, 1}};
  spec.constraints.order = *TaskOrder::FromStreams({{0, 2}, {1}}, waits);
  ExpectBuilt(spec);
  spec.constraints = {};
  spec.free_order =
      FreeOrder{3, edges, std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}}};
  ExpectBuilt(spec);
}

RC_GTEST_PROP(Builder, BuildsAnyProblem, ()) {
  testing::ProblemParameters parameters;
  parameters.has_never = true;
  parameters.has_prefer_apart = true;
  parameters.has_same_or_apart = true;
  // A builder never makes lists that have no effect, so the problem must not
  // contain any.
  const ProblemSpec spec =
      testing::Simplified(*testing::AnyProblems(parameters));
  const ProblemHandle problem = ProblemOf(spec);
  RC_ASSERT(problem != nullptr);
  RC_ASSERT(problem->problem.fingerprint() ==
            Problem::Create(spec)->fingerprint());
}

TEST(Builder, ReadsColumnsWithAnyStride) {
  // The table begins with an extra byte, so that all numbers are misaligned.
  const std::vector<ByteRecord> rows = {{8, 0, 1}, {16, 1, 2}, {4, 2, 3}};
  std::vector<char> table(1 + 24 * rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(&table[1 + 24 * i], &rows[i], 24);
  }
  const BuilderHandle builder(stowage_builder_new());
  ASSERT_EQ(stowage_builder_columns(builder.get(), &table[1], 24, &table[9], 24,
                                    &table[17], 24, 3, nullptr),
            STOWAGE_OK);
  const ProblemHandle problem = Create(builder);
  std::vector<stowage_record> records(3);
  ASSERT_EQ(stowage_problem_records(problem.get(), records.data(), 3, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(records[2].size, 4);
  EXPECT_EQ(records[2].last_task, 3);
  // Reads the rows backwards, with one size for all of them.
  const uint64_t size = 32;
  const BuilderHandle reversed(stowage_builder_new());
  ASSERT_EQ(stowage_builder_columns(reversed.get(), &size, 0, &table[9 + 48],
                                    -24, &table[17 + 48], -24, 3, nullptr),
            STOWAGE_OK);
  const ProblemHandle other = Create(reversed);
  ASSERT_EQ(stowage_problem_records(other.get(), records.data(), 3, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(records[0].size, 32);
  EXPECT_EQ(records[0].first_task, 2);
  EXPECT_EQ(records[2].last_task, 1);
}

TEST(Builder, MayBeUsedAfterAProblemWasCreated) {
  const BuilderHandle builder = BuilderOf(SmallSpec());
  const ProblemHandle first = Create(builder);
  ASSERT_EQ(stowage_builder_capacity(builder.get(), 100, nullptr), STOWAGE_OK);
  const ProblemHandle second = Create(builder);
  EXPECT_FALSE(first->problem.capacity().has_value());
  EXPECT_EQ(second->problem.capacity(), 100);
}

TEST(Builder, RefusesSecondRecordsAndSecondOrders) {
  const BuilderHandle builder = BuilderOf(SmallSpec());
  const stowage_record record = {1, 0, 0};
  const stowage_edge edge = {0, 1};
  const uint64_t task = 0;
  stowage_builder* const b = builder.get();
  EXPECT_EQ(stowage_builder_records(b, &record, 1, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(
      stowage_builder_columns(b, &task, 0, &task, 0, &task, 0, 1, nullptr),
      STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(stowage_builder_order(b, 2, &edge, 1, nullptr), STOWAGE_OK);
  EXPECT_EQ(stowage_builder_order(b, 2, &edge, 1, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(stowage_builder_free_order(b, 2, &edge, 1, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(stowage_builder_stream(b, &task, 1, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(stowage_builder_waits(b, &edge, 1, nullptr),
            STOWAGE_FAILED_PRECONDITION);
}

struct RefusedProblem {
  std::string name;
  ProblemSpec spec;
  stowage_code code;
  uint64_t record;
  uint64_t other_record = STOWAGE_NONE;
};

class Refused : public ::testing::TestWithParam<RefusedProblem> {};

TEST_P(Refused, NamesCodeAndRecords) {
  auto error = Sized<stowage_error>();
  EXPECT_EQ(Create(BuilderOf(GetParam().spec), &error), nullptr);
  EXPECT_EQ(error.code, GetParam().code) << error.message;
  EXPECT_EQ(error.record, GetParam().record) << error.message;
  EXPECT_EQ(error.other_record, GetParam().other_record) << error.message;
  EXPECT_STRNE(error.message, "");
}

ProblemSpec With(std::vector<ByteRecord> records, size_t alignment = 1) {
  ProblemSpec spec;
  spec.records = std::move(records);
  spec.alignment = alignment;
  return spec;
}

INSTANTIATE_TEST_SUITE_P(
    , Refused,
    ::testing::Values(RefusedProblem{"Reversed", With({{1, 0, 1}, {1, 3, 2}}),
                                     STOWAGE_INVALID_ARGUMENT, 1},
                      RefusedProblem{"Overflow",
                                     With({{UINT64_MAX, 0, 1}, {1, 3, 4}}),
                                     STOWAGE_OUT_OF_RANGE, 1},
                      RefusedProblem{"Alignment", With({{1, 0, 1}}, 3),
                                     STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE}),
    [](const auto& refused) { return refused.param.name; });

}  // namespace
}  // namespace stowage::c_test
