// SPDX-License-Identifier: Apache-2.0
// Tests plans that are columns of a trace.

#include <cstddef>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Trace TwoRecords() {
  Trace trace;
  trace.ids = {"a", "b"};
  trace.records = {{10, 0, 1}, {20, 1, 2}};
  return trace;
}

TEST(OffsetsOfTest, TheArenaEndsWhereTheLastTensorDoes) {
  Trace plan = TwoRecords();
  plan.offsets = {64, 0};
  const OffsetsAssignment offsets = OffsetsOf(plan).value();
  EXPECT_THAT(offsets.offsets, ElementsAre(64, 0));
  EXPECT_EQ(offsets.total_size, 74);
}

TEST(OffsetsOfTest, EndsBeyondTheLargestNumberAreRefused) {
  Trace plan = TwoRecords();
  plan.offsets = {0, std::numeric_limits<size_t>::max() - 19};
  const absl::Status status = OffsetsOf(plan).status();
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(std::string(status.message()),
            "tensor \"b\": offset 18446744073709551596 and size 20 pass 2^64 - "
            "1; expected an end below 2^64");
}

TEST(ObjectsOfTest, ObjectsAreNumberedByFirstUseAndAsLargeAsTheirLargest) {
  Trace plan = TwoRecords();
  plan.ids.emplace_back("c");
  plan.records.emplace_back(30, 2, 3);
  plan.objects = {900, 7, 900};
  const ObjectsAssignment<size_t> objects = ObjectsOf(plan).value();
  EXPECT_THAT(objects.object_ids, ElementsAre(0, 1, 0));
  EXPECT_THAT(objects.object_sizes, ElementsAre(30, 20));
}

TEST(PlanColumnsTest, ATraceIsNoPlan) {
  EXPECT_TRUE(absl::IsFailedPrecondition(OffsetsOf(TwoRecords()).status()));
  EXPECT_EQ(std::string(ObjectsOf(TwoRecords()).status().message()),
            "no column \"object\"; expected a plan");
}

TEST(PlanColumnsTest, NoRecordsNeedNoColumns) {
  EXPECT_EQ(OffsetsOf(Trace()).value().total_size, 0);
  EXPECT_THAT(ObjectsOf(Trace()).value().object_sizes, IsEmpty());
}

}  // namespace
}  // namespace stowage
