// SPDX-License-Identifier: Apache-2.0
// Tests the picture of sizes over a parameter. Its lines are exact, and it is
// well-formed regardless of the name of the problem.
#include "stowage/views/size_curve_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/views/svg.h"
#include "tests/views/xml_reader.h"

namespace stowage::views {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SizeCurve CurveOfPoints(std::vector<SizeCurve::Point> points, size_t reserve) {
  SizeCurve curve;
  curve.parameter = "seq";
  curve.points = std::move(points);
  curve.reserve = reserve;
  return curve;
}

// The frame begins at (512, 272) and measures 1280 by 576, in eighths of a
// pixel.
SvgOptions SmallCurve() {
  SvgOptions options;
  options.width = 264;
  options.height = 138;
  return options;
}

TEST(SizeCurveSvg, DrawsHeightNeedAndReserve) {
  const auto svg =
      SizeCurveSvg(CurveOfPoints({{10, 1, 2}, {18, 3, 4}, {20, 8, 8}}, 9),
                   "net", SmallCurve());
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(DataOfClass(*svg, "total"),
              ElementsAre("M512 720L1536 592L1792 336"));
  EXPECT_THAT(DataOfClass(*svg, "bound"),
              ElementsAre("M512 784L1536 656L1792 336"));
  EXPECT_THAT(DataOfClass(*svg, "curve"),
              ElementsAre("M512 784L1536 656L1792 336V848H512z"));
  EXPECT_THAT(DataOfClass(*svg, "at"), ElementsAre("M512 272H1792"));
  EXPECT_THAT(*svg, AllOf(HasSubstr("seq=10: height 2, need 1."),
                          HasSubstr("seq=20: height 8, need 8."),
                          HasSubstr("reserve of 9 bytes")));
}

TEST(SizeCurveSvg, IsWellFormedForAnyNameAndNumbers) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  const std::vector<SizeCurve::Point> curves[] = {
      {{0, 0, 0}},
      {{kMax, kMax, kMax}},
      {{0, 0, kMax}, {1, 5, 6}, {kMax, kMax, 0}},
      {{kMax - 1, 5, 5}, {kMax, 4, 0}}};
  for (const auto& points : curves) {
    for (const char* title : {"", "</svg><script>", "\x01 & \"", "\xff"}) {
      const auto svg = SizeCurveSvg(CurveOfPoints(points, 3), title);
      ASSERT_TRUE(svg.ok()) << svg.status();
      EXPECT_TRUE(ReadXml(*svg).ok()) << ReadXml(*svg).status();
    }
  }
}

TEST(SizeCurveSvg, RefusesSizesOutOfRange) {
  for (const size_t size : {kSvgLeastHeight - 1, kSvgMost + 1}) {
    SvgOptions options;
    options.height = size;
    EXPECT_EQ(SizeCurveSvg(CurveOfPoints({{8, 1, 1}}, 1), "x", options)
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// Returns a problem of two records that conflict and a third record that can be
// in the place of the first.
DynamicProblem TwoParameters() {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
  spec.parameters = {{"batch", 1, 8}, {"seq", 16, 64, 16}};
  spec.sizes = {"batch*seq", "seq", "16*batch"};
  auto problem = DynamicProblem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *problem;
}

TEST(SizeCurveOver, FixesTheOtherParameters) {
  const DynamicProblem problem = TwoParameters();
  const auto plan = PlanForAllValues(problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto curve = SizeCurveOver(problem, *plan, "seq", "batch=2");
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_EQ(curve->reserve, 8u * 64 + 64);
  std::vector<uint64_t> values;
  for (const SizeCurve::Point& point : curve->points) {
    values.push_back(point.value);
    EXPECT_EQ(point.need, 3 * point.value);
    EXPECT_EQ(point.height, point.need);
  }
  EXPECT_THAT(values, ElementsAre(16, 32, 48, 64));
}

TEST(SizeCurveOver, RefusesOtherValues) {
  struct Case {
    const char* parameter;
    const char* fixed;
    const char* message;
  };
  const DynamicProblem problem = TwoParameters();
  const auto plan = PlanForAllValues(problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const Case& c : std::vector<Case>{
           {"length", "batch=2", "no parameter 'length'"},
           {"seq", "", "batch: has no value"},
           {"seq", "batch=9", "batch=9: expected 1 to 8"},
           {"batch", "seq=17", "seq=17: expected 16 to 64, in steps of 16"},
           {"seq", "batch=2,batch=3", "batch: is given twice"},
           {"seq", "batch", "batch: expected a parameter and its value"},
           {"seq", "bach=2", "bach=2: expected a parameter and its value"},
           {"seq", "batch=-1", "batch=-1: expected a parameter"}}) {
    const auto curve = SizeCurveOver(problem, *plan, c.parameter, c.fixed);
    EXPECT_EQ(curve.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(curve.status().message()), HasSubstr(c.message));
  }
}

TEST(SizeCurveOver, TakesScenariosInTheirOrder) {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 1}, {0, 1, 2}};
  spec.scenarios = {"short", "long"};
  spec.tables = {{1, 8}, {2, 4}};
  const auto problem = DynamicProblem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto plan = PlanForAllValues(*problem);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto curve = SizeCurveOver(*problem, *plan, "", "");
  ASSERT_TRUE(curve.ok()) << curve.status();
  ASSERT_EQ(curve->points.size(), 2u);
  EXPECT_EQ(curve->points[0].need, 3u);
  EXPECT_EQ(curve->points[1].need, 12u);
  EXPECT_FALSE(SizeCurveOver(*problem, *plan, "seq", "").ok());
}

}  // namespace
}  // namespace stowage::views
