// SPDX-License-Identifier: Apache-2.0
// Tests plans that are valid for several shapes.
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/error_payload.h"
#include "stowage/planner.h"
#include "stowage/replan.h"
#include "stowage/testing/generators.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Problem Shape(std::vector<ByteRecord> records, size_t alignment = 1) {
  ProblemSpec spec;
  spec.records = std::move(records);
  spec.alignment = alignment;
  return *Problem::Create(std::move(spec));
}

TEST(ProblemForAllTest, HasTheLargestSizesAndTheJoinedLifetimes) {
  const std::vector<Problem> shapes = {Shape({{8, 1, 2}, {32, 2, 3}}, 16),
                                       Shape({{16, 2, 4}, {4, 0, 1}}, 4)};
  const auto all = ProblemForAll(shapes);
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->records()[0].tensor_size, 16u);
  EXPECT_EQ(all->records()[0].first_task, 1u);
  EXPECT_EQ(all->records()[0].last_task, 4u);
  EXPECT_EQ(all->records()[1].tensor_size, 32u);
  EXPECT_EQ(all->records()[1].first_task, 0u);
  EXPECT_EQ(all->records()[1].last_task, 3u);
  EXPECT_EQ(all->alignments().Of(0), 16u);
}

TEST(ProblemForAllTest, JoinsFixedOffsetsAndCapacities) {
  ProblemSpec first;
  first.records = {{8, 0, 1}, {8, 0, 1}};
  first.fixed_offsets = {0, absl::nullopt};
  first.capacity = 100;
  ProblemSpec second = first;
  second.fixed_offsets = {absl::nullopt, 16};
  second.capacity = 50;
  std::vector<Problem> shapes = {*Problem::Create(first),
                                 *Problem::Create(second)};
  const auto all = ProblemForAll(shapes);
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->fixed_offset(0), 0u);
  EXPECT_EQ(all->fixed_offset(1), 16u);
  EXPECT_EQ(all->capacity(), 50u);
  second.fixed_offsets = {8, absl::nullopt};
  shapes.push_back(*Problem::Create(second));
  const auto contradiction = ProblemForAll(shapes);
  EXPECT_THAT(contradiction,
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "shape 2: record 0: its fixed offset is 8; expected 0, "
                        "as in an earlier shape"));
  EXPECT_THAT(RecordsOf(contradiction.status()), ElementsAre(0));
}

TEST(PlanForAllTest, RefusesShapesThatDiffer) {
  EXPECT_THAT(PlanForAll({}), FailsWith(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("there are none")));
  EXPECT_THAT(PlanForAll({Shape({{8, 0, 1}}), Shape({})}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "shape 1: it has 0 records; expected 1, as the first "
                        "shape has"));
  ProblemSpec objects;
  objects.records = {{8, 0, 1}};
  objects.kind = PlanKind::kObjects;
  EXPECT_THAT(PlanForAll({Shape({{8, 0, 1}}), *Problem::Create(objects)}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("its plan is of objects")));
  ProblemSpec apart;
  apart.records = {{8, 0, 1}, {8, 2, 3}};
  apart.constraints.apart = {{0, 1}};
  EXPECT_THAT(PlanForAll({*Problem::Create(apart)}),
              FailsWith(absl::StatusCode::kUnimplemented,
                        HasSubstr("shape 0: it has constraints")));
  EXPECT_THAT(PlanForAll({Shape({{8, 0, 1}})}, "no_such"),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("no_such")));
}

RC_GTEST_PROP(PlanForAllPropertyTest, IsSafeForEveryShape, ()) {
  ProblemSpec spec;
  spec.kind = *rc::gen::element(PlanKind::kOffsets, PlanKind::kObjects);
  spec.records = *testing::AnyRecords();
  std::vector<Problem> shapes;
  for (int s = 0; s < 3; ++s) {
    if (spec.kind == PlanKind::kOffsets) {
      spec.alignments = *testing::AlignmentLists(spec.records.size());
    }
    shapes.push_back(*Problem::Create(spec));
    for (ByteRecord& record : spec.records) {
      const size_t shift = *rc::gen::inRange<size_t>(0, 4);
      if (record.last_task < ~TaskId{0} - shift) {
        record.first_task += shift;
        record.last_task += shift;
      }
      record.tensor_size /= *rc::gen::inRange<size_t>(1, 3);
    }
  }
  const auto all = PlanForAll(shapes, "greedy_by_size");
  RC_ASSERT(all.ok());
  const Problem joined = *ProblemForAll(shapes);
  RC_ASSERT(all->problem.fingerprint() == joined.fingerprint());
  for (const Problem& shape : shapes) {
    if (spec.kind == PlanKind::kOffsets) {
      RC_ASSERT(!FindViolation(shape, *all->solution.offsets()));
    } else {
      RC_ASSERT(!FindViolation(shape.records(), *all->solution.objects()));
    }
  }
}

}  // namespace
}  // namespace stowage
