// SPDX-License-Identifier: Apache-2.0
// Tests plans that are stored in columns of a trace.

#include <cstddef>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/assignment.h"
#include "stowage/io/problem_file.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProblemFile TwoRecords() {
  ProblemFile trace;
  trace.problem.names = {"a", "b"};
  trace.problem.records = {{10, 0, 1}, {20, 1, 2}};
  return trace;
}

TEST(OffsetsOfTest, TheArenaEndsWhereTheLastTensorDoes) {
  ProblemFile plan = TwoRecords();
  plan.plan.offsets = {64, 0};
  const OffsetsAssignment offsets = OffsetsOf(plan.problem, plan.plan).value();
  EXPECT_THAT(offsets.offsets, ElementsAre(64, 0));
  EXPECT_EQ(offsets.total_size, 74);
}

TEST(OffsetsOfTest, EndsBeyondTheLargestNumberAreRefused) {
  ProblemFile plan = TwoRecords();
  plan.plan.offsets = {0, std::numeric_limits<size_t>::max() - 19};
  const absl::Status status = OffsetsOf(plan.problem, plan.plan).status();
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(std::string(status.message()),
            "tensor \"b\": offset 18446744073709551596 and size 20 exceed 2^64 "
            "- 1; expected an end below 2^64");
}

TEST(OffsetsOfTest, ProblemsInMemoryNeedNoNames) {
  ProblemSpec spec;
  spec.records = {{1, 0, 0}};
  FilePlan plan;
  plan.offsets = {std::numeric_limits<size_t>::max()};
  EXPECT_THAT(std::string(OffsetsOf(spec, plan).status().message()),
              ::testing::StartsWith("tensor 0: offset 18446744073709551615"));
  spec.records = {{1, 0, 0}, {1, 0, 0}};
  plan.offsets = {0, 1};
  plan.chosen_pools = {0};
  EXPECT_EQ(std::string(OffsetsOf(spec, plan).status().message()),
            "1 chosen pools; expected 2, one for each record, or none");
}

TEST(InChosenOrderTest, OrdersThatAreNotValidAreRefused) {
  ProblemFile file;
  file.problem.records = {{1, 0, 0}};
  file.problem.free_order.emplace();
  file.problem.free_order->tasks = 3;
  file.problem.free_order->edges = {{5, 6}};
  file.plan.execution_order = {0, 1, 2};
  EXPECT_TRUE(absl::IsInvalidArgument(InChosenOrder(file).status()));
}

TEST(ObjectsOfTest, ObjectsAreNumberedByFirstUseAndAsLargeAsTheirLargest) {
  ProblemFile plan = TwoRecords();
  plan.problem.names.emplace_back("c");
  plan.problem.records.emplace_back(30, 2, 3);
  plan.plan.objects = {900, 7, 900};
  const ObjectsAssignment<size_t> objects =
      ObjectsOf(plan.problem, plan.plan).value();
  EXPECT_THAT(objects.object_ids, ElementsAre(0, 1, 0));
  EXPECT_THAT(objects.object_sizes, ElementsAre(30, 20));
}

TEST(FilePlanOfTest, HasThePlacesOfTheSolution) {
  EXPECT_TRUE(FilePlan().empty());
  OffsetsAssignment offsets;
  offsets.offsets = {64, 0};
  offsets.pools = {1, 0};
  const FilePlan in_pools = FilePlanOf(offsets);
  EXPECT_THAT(in_pools.offsets, ElementsAre(64, 0));
  EXPECT_THAT(in_pools.chosen_pools, ElementsAre(1, 0));
  EXPECT_THAT(in_pools.objects, IsEmpty());
  EXPECT_FALSE(in_pools.empty());
  ObjectsAssignment<size_t> objects;
  objects.object_ids = {0, 0};
  objects.object_sizes = {20};
  Solution solution = objects;
  solution.order = {1, 0};
  const FilePlan shared = FilePlanOf(solution);
  EXPECT_THAT(shared.objects, ElementsAre(0, 0));
  EXPECT_THAT(shared.offsets, IsEmpty());
  EXPECT_THAT(shared.execution_order, ElementsAre(1, 0));
  EXPECT_FALSE(shared.empty());
}

TEST(PlanColumnsTest, ATraceIsNoPlan) {
  EXPECT_TRUE(
      absl::IsFailedPrecondition(OffsetsOf(TwoRecords().problem, {}).status()));
  EXPECT_EQ(std::string(ObjectsOf(TwoRecords().problem, {}).status().message()),
            "no column \"object\"; expected a plan");
}

TEST(PlanColumnsTest, NoRecordsNeedNoColumns) {
  EXPECT_EQ(OffsetsOf({}, {}).value().total_size, 0);
  EXPECT_THAT(ObjectsOf({}, {}).value().object_sizes, IsEmpty());
}

}  // namespace
}  // namespace stowage
