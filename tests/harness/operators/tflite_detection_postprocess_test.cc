// SPDX-License-Identifier: Apache-2.0
// Tests TFLite_Detection_PostProcess.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct TfliteDetectionPostprocessOptions {
  int max_detections = 3;
  int max_classes = 1;
  int detections_per_class = 2;
  bool is_per_class = false;
  float min_score = 0.1F;
  float max_overlap = 0.5F;
  int classes = 2;
  float y_scale = 10;
};

std::vector<uint8_t> Flexbuffer(
    const TfliteDetectionPostprocessOptions& options) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", options.max_detections);
    builder.Int("max_classes_per_detection", options.max_classes);
    builder.Int("detections_per_class", options.detections_per_class);
    builder.Bool("use_regular_nms", options.is_per_class);
    builder.Float("nms_score_threshold", options.min_score);
    builder.Float("nms_iou_threshold", options.max_overlap);
    builder.Int("num_classes", options.classes);
    builder.Float("y_scale", options.y_scale);
    builder.Float("x_scale", 10);
    builder.Float("h_scale", 5);
    builder.Float("w_scale", 5);
  });
  builder.Finish();
  return builder.GetBuffer();
}

// Returns an operator with four boxes of size 1: at 0, at 0.1 (nearly the same
// box), at 10 and at 20. The first score of each box is that of the background;
// the scores of two classes follow.
OperatorCase Detect(const TfliteDetectionPostprocessOptions& options) {
  OperatorCase c{tflite::BuiltinOperator::CUSTOM};
  c.custom_code = "TFLite_Detection_PostProcess";
  c.custom_options = Flexbuffer(options);
  c.inputs = {Values<float>({1, 4, 4},
                            {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
              Values<float>({1, 4, 3}, {0, 0.9F, 0.2F, 0, 0.8F, 0.7F,  //
                                        0, 0.3F, 0.4F, 1, 0.05F, 0.01F}),
              Values<float>(
                  {4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 10, 10, 1, 1, 20, 20, 1, 1})
                  .Constant()};
  c.outputs = std::vector<TensorValue>(4, Output(ElementType::kFloat32, {1}));
  return c;
}

TEST(DetectionPostProcess, KeepsTheBestOfBoxesThatOverlap) {
  const auto outputs = RunOperator(Detect({}));
  EXPECT_THAT(ValuesOf<float>(outputs, 0),
              Pointwise(FloatNear(1e-6F),
                        std::vector<float>{-0.5, -0.5, 0.5, 0.5, 9.5, 9.5, 10.5,
                                           10.5, 0, 0, 0, 0}));
  EXPECT_THAT(ValuesOf<float>(outputs, 1), ElementsAre(0, 1, 0));
  EXPECT_THAT(ValuesOf<float>(outputs, 2), ElementsAre(0.9F, 0.4F, 0));
  EXPECT_THAT(ValuesOf<float>(outputs, 3), ElementsAre(2));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 3, 4));
  EXPECT_THAT(outputs->at(1).shape, ElementsAre(1, 3));
}

TEST(DetectionPostProcess, EncodingsMoveAndScaleTheAnchor) {
  OperatorCase c = Detect({});
  // The size of the anchor is 2. The center of the box is moved by 5 / 10 and
  // -10 / 10 of this size, and the size is multiplied by e and by 1 / e.
  c.inputs[0] = Values<float>({1, 1, 4}, {5, -10, 5, -5});
  c.inputs[1] = Values<float>({1, 1, 2}, {0.9F, 0});
  c.inputs[2] = Values<float>({1, 4}, {7, 8, 2, 2});
  const float e = std::exp(1.0F);
  EXPECT_THAT(ValuesOf<float>(RunOperator(c), 0).data()[0],
              FloatNear(8 - e, 1e-5F));
  EXPECT_THAT(ValuesOf<float>(RunOperator(c), 0),
              Pointwise(FloatNear(1e-5F),
                        std::vector<float>{8 - e, 6 - 1 / e, 8 + e, 6 + 1 / e,
                                           0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(DetectionPostProcess, MoreClassesForEachBox) {
  TfliteDetectionPostprocessOptions options;
  options.max_classes = 5;  // there are only two
  const auto outputs = RunOperator(Detect(options));
  EXPECT_THAT(outputs->at(2).shape, ElementsAre(1, 15));
  auto scores = ValuesOf<float>(outputs, 2);
  auto classes = ValuesOf<float>(outputs, 1);
  scores.resize(5);
  classes.resize(5);
  EXPECT_THAT(scores, ElementsAre(0.9F, 0.2F, 0.4F, 0.3F, 0));
  EXPECT_THAT(classes, ElementsAre(0, 1, 1, 0, 0));
  EXPECT_THAT(ValuesOf<float>(outputs, 3), ElementsAre(4));
}

TEST(DetectionPostProcess, OverlapsWithinAClassOnly) {
  TfliteDetectionPostprocessOptions options;
  options.is_per_class = true;
  const auto outputs = RunOperator(Detect(options));
  EXPECT_THAT(ValuesOf<float>(outputs, 2), ElementsAre(0.9F, 0.7F, 0.4F));
  EXPECT_THAT(ValuesOf<float>(outputs, 1), ElementsAre(0, 1, 1));
  EXPECT_THAT(ValuesOf<float>(outputs, 3), ElementsAre(3));
}

TEST(DetectionPostProcess, NoMoreThanAskedForOfAClass) {
  TfliteDetectionPostprocessOptions options;
  options.is_per_class = true;
  options.detections_per_class = 1;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Detect(options)), 2),
              ElementsAre(0.9F, 0.7F, 0));
  options.max_detections = 1;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Detect(options)), 2),
              ElementsAre(0.9F));
}

TEST(DetectionPostProcess, OfEqualScoresTheFirstGoesFirst) {
  OperatorCase c = Detect({});
  c.inputs[1] = Values<float>({1, 4, 2}, std::vector<float>(8, 0.5F));
  for (const bool is_per_class : {false, true}) {
    TfliteDetectionPostprocessOptions options;
    options.is_per_class = is_per_class;
    c.custom_options = Flexbuffer(options);
    const auto boxes = ValuesOf<float>(RunOperator(c), 0);
    ASSERT_EQ(boxes.size(), 12);
    EXPECT_FLOAT_EQ(boxes[0], -0.5);
    EXPECT_FLOAT_EQ(boxes[4], 9.5);
  }
}

TEST(DetectionPostProcess, OfUint8) {
  OperatorCase c = Detect({});
  c.inputs[0] = Values<uint8_t>(
      {1, 4, 4},
      {10, 10, 10, 10, 11, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
      Scaled(1, 10));
  c.inputs[1] =
      Values<uint8_t>({1, 4, 3}, {0, 90, 20, 0, 80, 70, 0, 30, 40, 100, 5, 1},
                      Scaled(0.01F, 0));
  c.inputs[2] =
      Values<uint8_t>({4, 4},
                      {0, 0, 2, 2, 0, 0, 2, 2, 20, 20, 2, 2, 40, 40, 2, 2},
                      Scaled(0.5F, 0))
          .Constant();
  const auto outputs = RunOperator(c);
  EXPECT_THAT(ValuesOf<float>(outputs, 2),
              Pointwise(FloatNear(1e-6F), std::vector<float>{0.9F, 0.4F, 0}));
  EXPECT_FLOAT_EQ(ValuesOf<float>(outputs, 0).at(7), 10.5);
}

TEST(DetectionPostProcess, ScoresThatAreNoNumbersAreNotDetected) {
  OperatorCase c = Detect({});
  const float none = std::numeric_limits<float>::quiet_NaN();
  c.inputs[1] = Values<float>({1, 4, 3}, {0, none, 0.2F, 0, none, none,  //
                                          0, none, none, 1, none, none});
  EXPECT_THAT(ValuesOf<float>(RunOperator(c), 2), ElementsAre(0.2F, 0, 0));
}

TEST(DetectionPostProcess, WithoutBoxes) {
  OperatorCase c = Detect({});
  c.inputs[0] = Values<float>({1, 0, 4}, {});
  c.inputs[1] = Values<float>({1, 0, 2}, {});
  c.inputs[2] = Values<float>({0, 4}, {});
  EXPECT_THAT(ValuesOf<float>(RunOperator(c), 3), ElementsAre(0));
}

std::string Message(const OperatorCase& c) {
  return std::string(RunOperator(c).status().message());
}

TEST(DetectionPostProcess, OptionsOutOfRangeAreErrors) {
  TfliteDetectionPostprocessOptions options;
  options.max_detections = 0;
  EXPECT_THAT(Message(Detect(options)),
              HasSubstr("its option max_detections is 0"));
  options = {};
  options.max_overlap = 1.5F;
  EXPECT_THAT(Message(Detect(options)), HasSubstr("nms_iou_threshold is 1.5"));
  options = {};
  options.y_scale = 0;
  EXPECT_THAT(Message(Detect(options)), HasSubstr("scales is 0"));
  options = {};
  options.max_detections = options.max_classes = 1 << 20;
  EXPECT_THAT(Message(Detect(options)), HasSubstr("expected below 2^31"));
  options = {};
  options.classes = 7;
  EXPECT_THAT(Message(Detect(options)),
              HasSubstr("its inputs have the shapes"));
}

TEST(DetectionPostProcess, OptionsThatAreNoMapAreErrors) {
  OperatorCase c = Detect({});
  for (const std::vector<uint8_t>& bytes :
       std::vector<std::vector<uint8_t>>{{}, {1, 2, 3, 4}, {5, 4, 1}}) {
    c.custom_options = bytes;
    EXPECT_THAT(Message(c), HasSubstr("expected a map"));
  }
}

TEST(DetectionPostProcess, DamagedOptionsDoNoHarm) {
  const std::vector<uint8_t> bytes = Flexbuffer({});
  OperatorCase c = Detect({});
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int value : {0, 1, 127, 255}) {
      c.custom_options = bytes;
      c.custom_options[i] = static_cast<uint8_t>(value);
      const auto outputs = RunOperator(c);
      EXPECT_TRUE(!outputs.ok() || outputs->size() == 4);
    }
  }
}

}  // namespace
}  // namespace stowage::harness
