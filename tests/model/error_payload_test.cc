// SPDX-License-Identifier: Apache-2.0
#include "stowage/error_payload.h"

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ErrorPayloadTest, ComesBackAsItWasGiven) {
  const absl::Status status = WithTensor(
      WithOperator(WithRecords(absl::InvalidArgumentError("wrong"), {3, 0, 17}),
                   4),
      5);
  EXPECT_EQ(status.message(), "wrong");
  EXPECT_THAT(RecordsOf(status), ElementsAre(3, 0, 17));
  EXPECT_EQ(OperatorOf(status), 4u);
  EXPECT_EQ(TensorOf(status), 5u);
  EXPECT_TRUE(FeaturesOf(status).empty());
  EXPECT_EQ(DelegateOf(status), "");
  const absl::Status refused = WithDelegate(status, "mine, too");
  EXPECT_EQ(DelegateOf(AtPlace("here", refused)), "mine, too");
  EXPECT_EQ(TensorOf(refused), 5u);
}

TEST(ErrorPayloadTest, StaysWithTheErrorInOtherWords) {
  const absl::Status status =
      WithOperator(WithRecords(absl::OutOfRangeError("too large"), {3}), 4);
  const absl::Status placed = AtPlace("m.tflite", status);
  EXPECT_EQ(placed.message(), "m.tflite: too large");
  for (const absl::Status& other : {placed, WithMessage(status, "other")}) {
    EXPECT_EQ(other.code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(RecordsOf(other), ElementsAre(3));
    EXPECT_EQ(OperatorOf(other), 4u);
    EXPECT_EQ(TensorOf(other), absl::nullopt);
  }
  EXPECT_EQ(WithMessage(status, "other").message(), "other");
}

TEST(ErrorPayloadTest, IsEmptyWhereThereIsNone) {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::InvalidArgumentError("record 3 is wrong")}) {
    EXPECT_THAT(RecordsOf(status), IsEmpty());
    EXPECT_EQ(OperatorOf(status), absl::nullopt);
    EXPECT_EQ(TensorOf(status), absl::nullopt);
    EXPECT_TRUE(FeaturesOf(status).empty());
  }
}

// If a strategy lacks several features that a problem needs, the error lists
// all of these features.
TEST(ErrorPayloadTest, RefusalsCarryTheMissingFeatures) {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}};
  spec.reallocation_graph = UsageGraph{{}};
  spec.fixed_offsets = {0};
  const auto refused = Solve(*Problem::Create(spec), "naive");
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(refused.status().message(),
            "strategy 'naive' does not support reallocation_graph, "
            "fixed_offsets; no strategy supports all that the problem "
            "requires");
  EXPECT_THAT(FeaturesOf(refused.status()).Names(),
              ElementsAre("reallocation_graph", "fixed_offsets"));
}

}  // namespace
}  // namespace stowage
