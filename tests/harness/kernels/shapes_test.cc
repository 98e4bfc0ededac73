// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;

TEST(ResolveAxis, CountsNegativeAxesFromTheLast) {
  EXPECT_EQ(*ResolveAxis(1, 3), 1);
  EXPECT_EQ(*ResolveAxis(-1, 3), 2);
  for (const int64_t axis : {-4, 3}) {
    EXPECT_EQ(ResolveAxis(axis, 3).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(ResolveAxis(0, 0).ok());
}

TEST(FlatSize, IsTheProductOfARange) {
  EXPECT_EQ(FlatSize({2, 3, 5}, 1, 3), 15);
  EXPECT_EQ(FlatSize({2, 3, 5}, 1, 1), 1);
}

TEST(Strides, AreThoseOfTheHeader) {
  EXPECT_THAT(*BroadcastShape({8, 1, 3}, {5, 1}), ElementsAre(8, 5, 3));
  EXPECT_THAT(Strides({8, 1, 3}), ElementsAre(3, 3, 1));
  EXPECT_THAT(BroadcastStrides({5, 1}, 3), ElementsAre(0, 1, 0));
}

TEST(Strides, OfNoElementsAreZero) {
  EXPECT_THAT(Strides({1 << 30, 1 << 30, 1 << 30, 0}), ElementsAre(0, 0, 0, 0));
}

TEST(BroadcastShape, RefusesShapesThatDiffer) {
  EXPECT_EQ(BroadcastShape({2, 3}, {4, 3}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stowage::harness
