// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "stowage/harness/operator_options.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;

TEST(ImageWindow, OfSameHasAnOutputForEveryStride) {
  const auto window =
      MakeImageWindow({1, 6, 5, 3}, Padding::kSame, {3, 3}, {2, 2});
  ASSERT_TRUE(window.ok());
  EXPECT_THAT(window->OutputShape(7), ElementsAre(1, 3, 3, 7));
  EXPECT_EQ(window->y.before, 0);
  EXPECT_EQ(window->x.before, 1);
  // The last tap of the last row is below the image, and the first tap of the
  // first column is to the left of the image.
  EXPECT_EQ(window->y.Origin(2), 4);
  EXPECT_EQ(window->y.FirstTap(2), 0);
  EXPECT_EQ(window->y.EndTap(2), 2);
  EXPECT_EQ(window->x.Origin(0), -1);
  EXPECT_EQ(window->x.FirstTap(0), 1);
  EXPECT_EQ(window->x.EndTap(0), 3);
}

TEST(ImageWindow, OfValidStaysInTheImage) {
  const auto window =
      MakeImageWindow({2, 6, 5, 3}, Padding::kValid, {2, 3}, {1, 2}, {2, 1});
  ASSERT_TRUE(window.ok());
  EXPECT_THAT(window->OutputShape(3), ElementsAre(2, 4, 2, 3));
  for (int64_t y = 0; y < window->y.out; ++y) {
    EXPECT_EQ(window->y.FirstTap(y), 0);
    EXPECT_EQ(window->y.EndTap(y), 2);
  }
}

TEST(ImageWindow, OfAConvolutionHasTheSizeOfItsFilters) {
  ConvolutionOptions options;
  options.padding = Padding::kValid;
  const auto window = MakeFilterWindow({1, 6, 5, 3}, {8, 3, 2, 3}, options);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->y.taps, 3);
  EXPECT_EQ(window->x.taps, 2);
  EXPECT_THAT(window->OutputShape(8), ElementsAre(1, 4, 4, 8));
}

TEST(ImageWindow, IsRefusedWhereItDoesNotFit) {
  const Shape image = {1, 6, 5, 3};
  const auto code = [&](Padding padding, HeightAndWidth taps,
                        HeightAndWidth stride) {
    return MakeImageWindow(image, padding, taps, stride).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code(Padding::kValid, {7, 1}, {1, 1}), kInvalid);
  EXPECT_EQ(code(Padding::kSame, {0, 1}, {1, 1}), kInvalid);
  EXPECT_EQ(code(Padding::kSame, {1, 1}, {1, 0}), kInvalid);
  EXPECT_EQ(code(static_cast<Padding>(2), {1, 1}, {1, 1}), kInvalid);
}

}  // namespace
}  // namespace stowage::harness
