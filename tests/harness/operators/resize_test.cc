// SPDX-License-Identifier: Apache-2.0
// Tests RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

struct Mapping {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

OperatorCase Resize(BuiltinOperator code, const TensorValue& input,
                    int32_t height, int32_t width, const Mapping& mapping) {
  OperatorCase c{code};
  if (code == BuiltinOperator::RESIZE_BILINEAR) {
    tflite::ResizeBilinearOptionsT options;
    options.align_corners = mapping.align_corners;
    options.half_pixel_centers = mapping.half_pixel_centers;
    c.options.Set(options);
  } else {
    tflite::ResizeNearestNeighborOptionsT options;
    options.align_corners = mapping.align_corners;
    options.half_pixel_centers = mapping.half_pixel_centers;
    c.options.Set(options);
  }
  c.inputs = {input, Values<int32_t>({2}, {height, width}).Constant()};
  c.outputs = {Output(input.type, {1, 1, 1, 1}, input.quantization)};
  return c;
}

struct ResizeCase {
  const char* name;
  Mapping mapping;
  std::vector<float> bilinear;  // for 3, 6 at a width of 4
  std::vector<float> nearest;
};

class Resizes : public ::testing::TestWithParam<ResizeCase> {
 protected:
  template <typename T>
  std::vector<T> Width4(BuiltinOperator code) {
    return ValuesOf<T>(RunOperator(
        Resize(code, Values<T>({1, 1, 2, 1}, {30, 60}, Scaled(1, 0)), 1, 4,
               GetParam().mapping)));
  }
};

TEST_P(Resizes, OfAllTypes) {
  const ResizeCase& c = GetParam();
  const auto bilinear = BuiltinOperator::RESIZE_BILINEAR;
  EXPECT_THAT(Width4<float>(bilinear), ElementsAreArray(c.bilinear));
  std::vector<int64_t> rounded;
  for (const float x : c.bilinear) rounded.push_back(std::lround(x));
  EXPECT_THAT(Width4<uint8_t>(bilinear), ElementsAreArray(rounded));
  EXPECT_THAT(Width4<int8_t>(bilinear), ElementsAreArray(rounded));
  EXPECT_THAT(Width4<int16_t>(bilinear), ElementsAreArray(rounded));
  const auto nearest = BuiltinOperator::RESIZE_NEAREST_NEIGHBOR;
  EXPECT_THAT(Width4<float>(nearest), ElementsAreArray(c.nearest));
  EXPECT_THAT(Width4<int16_t>(nearest), ElementsAreArray(c.nearest));
}

INSTANTIATE_TEST_SUITE_P(
    Resize, Resizes,
    ::testing::Values(
        ResizeCase{"Plain", {false, false}, {30, 45, 60, 60}, {30, 30, 60, 60}},
        ResizeCase{
            "AlignCorners", {true, false}, {30, 40, 50, 60}, {30, 30, 60, 60}},
        ResizeCase{"HalfPixelCenters",
                   {false, true},
                   {30, 37.5, 52.5, 60},
                   {30, 30, 60, 60}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ResizeBilinear, BothDimensionsAndAllChannels) {
  const auto outputs = RunOperator(
      Resize(BuiltinOperator::RESIZE_BILINEAR,
             Values<float>({1, 2, 2, 2}, {0, 1, 4, 5, 8, 9, 12, 13}), 3, 3,
             {true, false}));
  EXPECT_THAT(
      ValuesOf<float>(outputs),
      ElementsAre(0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 3, 3, 2));
}

TEST(ResizeBilinear, Int8IsRoundedHalvesAwayFromZero) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  Resize(BuiltinOperator::RESIZE_BILINEAR,
                         Values<int8_t>({1, 1, 2, 1}, {-3, -4}, Scaled(1, 0)),
                         1, 3, {true, false}))),
              ElementsAre(-3, -4, -4));
}

TEST(ResizeNearestNeighbor, Smaller) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(Resize(
                  BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
                  Values<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), 1,
                  2, {false, false}))),
              ElementsAre(1, 2));
}

TEST(Resize, ASizeThatIsComputed) {
  for (const auto code : {BuiltinOperator::RESIZE_BILINEAR,
                          BuiltinOperator::RESIZE_NEAREST_NEIGHBOR}) {
    OperatorCase c = Resize(code, Values<float>({1, 1, 1, 1}, {7}), 2, 1, {});
    c.inputs[1].is_constant = false;
    const auto outputs = RunOperator(c);
    EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(7, 7));
    EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2, 1, 1));
  }
}

TEST(Resize, Refused) {
  const auto image = Values<float>({1, 1, 1, 1}, {7});
  const auto message = [](const OperatorCase& c) {
    return std::string(RunOperator(c).status().message());
  };
  for (const auto code : {BuiltinOperator::RESIZE_BILINEAR,
                          BuiltinOperator::RESIZE_NEAREST_NEIGHBOR}) {
    EXPECT_THAT(message(Resize(code, image, 0, 4, {})),
                HasSubstr("expected 1 or more of each"));
    EXPECT_THAT(
        message(Resize(code, Values<float>({1, 0, 1, 1}, {}), 1, 1, {})),
        HasSubstr("expected 1 or more of each"));
    EXPECT_THAT(message(Resize(code, image, 1, 1, {true, true})),
                HasSubstr("expected at most one"));
    OperatorCase c = Resize(code, image, 1, 1, {});
    c.inputs[1] = Values<int32_t>({3}, {1, 2, 3}).Constant();
    EXPECT_THAT(message(c), HasSubstr("expected [2]"));
  }
}

}  // namespace
}  // namespace stowage::harness
