// SPDX-License-Identifier: Apache-2.0
// Tests the picture of a cost curve. Its lines are exact, and it is well-formed
// regardless of the name of the problem.
#include "stowage/views/cost_curve_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/cost_curve.h"
#include "stowage/views/svg.h"
#include "tests/views/xml_reader.h"

namespace stowage::views {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct PointRow {
  size_t capacity;
  uint64_t cost;
  uint64_t bound;
};

std::vector<CostPoint> CurveOf(const std::vector<PointRow>& rows) {
  std::vector<CostPoint> curve;
  for (const PointRow& row : rows) {
    CostPoint& point = curve.emplace_back();
    point.capacity = row.capacity;
    point.solution.cost = row.cost;
    point.solution.cost_bound = row.bound;
  }
  return curve;
}

// The frame of the curve is 1280 by 576 eighths of a pixel. A byte is 80
// eighths wide, and a cost of 1 is 64 eighths high.
SvgOptions SmallPicture() {
  SvgOptions options;
  options.width = 264;
  options.height = 138;
  return options;
}

TEST(CostCurveSvg, DrawsTheCostToTheRightAndTheBoundToTheLeftOfEachPoint) {
  const auto svg = CostCurveSvg(CurveOf({{8, 9, 6}, {16, 1, 1}, {24, 0, 0}}),
                                "tiles", SmallPicture());
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(DataOfClass(*svg, "total"),
              ElementsAre("M512 272H1152V784H1792V848"));
  EXPECT_THAT(DataOfClass(*svg, "bound"),
              ElementsAre("M1792 848H1792V848H1152V784H512V464"));
  EXPECT_THAT(
      DataOfClass(*svg, "small s2"),
      ElementsAre("M512 272H1152V784H1792V848V848H1792V848H1152V784H512V464z"));
  EXPECT_THAT(*svg, AllOf(HasSubstr("8 bytes: 9, bound 6."),
                          HasSubstr("24 bytes: 0, bound 0.")));
}

TEST(CostCurveSvg, DrawsNoBoundAboveTheCost) {
  const auto svg = CostCurveSvg(CurveOf({{8, 9, 10}}), "tiles", SmallPicture());
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(DataOfClass(*svg, "bound"), ElementsAre("M512 272H512V272"));
}

TEST(CostCurveSvg, IsWellFormedForAnyNameAndNumbers) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  const std::vector<PointRow> curves[] = {
      {{0, 0, 0}},
      {{8, 0, 0}},
      {{0, kMax, 0}, {1, kMax, 0}, {kMax, 0, 0}},
      {{kMax - 1, 5, 5}, {kMax, 4, 0}}};
  for (const std::vector<PointRow>& rows : curves) {
    for (const char* title : {"", "</svg><script>", "\x01 & \"", "\xff"}) {
      const auto svg = CostCurveSvg(CurveOf(rows), title);
      ASSERT_TRUE(svg.ok()) << svg.status();
      EXPECT_TRUE(ReadXml(*svg).ok()) << ReadXml(*svg).status();
    }
  }
}

TEST(CostCurveSvg, RefusesSizesOutOfRange) {
  for (const size_t size : {kSvgLeastHeight - 1, kSvgMost + 1}) {
    SvgOptions narrow;
    narrow.width = size;
    SvgOptions low;
    low.height = size;
    for (const SvgOptions& options : {narrow, low}) {
      EXPECT_EQ(
          CostCurveSvg(CurveOf({{8, 1, 0}}), "x", options).status().code(),
          absl::StatusCode::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace stowage::views
