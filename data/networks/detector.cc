// SPDX-License-Identifier: Apache-2.0
// Detectors. Predictions from feature maps of several scales are joined at the
// end.
//
// SSD: Liu et al. 2015, section 2, on MobileNet v1 (Howard et al. 2017, section
// 4.6). RetinaNet: Lin et al. 2017, section 4, on the feature pyramid of Lin et
// al. 2016, section 3. The detector with proposals: He et al. 2017, section 3
// and figure 4, on the same pyramid.
#include <cstddef>
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/mobilenet.h"
#include "data/networks/networks.h"
#include "data/networks/resnet.h"

namespace stowage::networks {
namespace {

// The predictions so far, each {1, anchors, numbers per anchor}.
struct Predictions {
  std::vector<Tensor> boxes;
  std::vector<Tensor> classes;
};

constexpr int kBoxNumbers = 4;

Tensor PerAnchor(Tensor x, int numbers) {
  const Extent anchors = x.dim(1) * x.dim(2) * x.dim(3) / numbers;
  return Reshape(x, {x.dim(0), anchors, numbers});
}

// Selects the best boxes with a custom operator that has four outputs.
void OutputDetections(Network& network, const Predictions& predictions) {
  constexpr int kDetections = 10;
  const Tensor boxes = Concat(predictions.boxes, 1);
  const Tensor classes = Unary(Op::LOGISTIC, Concat(predictions.classes, 1));
  const Tensor anchors =
      network.Constant({boxes.dim(1), kBoxNumbers}, ElementType::FLOAT32);
  const std::vector<Tensor> outputs = network.AppendMany(
      OperatorKind::Custom("TFLite_Detection_PostProcess"),
      {boxes, classes, anchors},
      {{1, kDetections, kBoxNumbers}, {1, kDetections}, {1, kDetections}, {1}},
      ElementType::FLOAT32);
  for (Tensor output : outputs) network.Output(output);
}

// Returns the feature maps of SSD: two inside MobileNet v1 and four after it.
std::vector<Tensor> SsdFeatures(Tensor image) {
  const std::vector<Tensor> stages = MobileNetV1Stages(image);
  std::vector<Tensor> features(stages.end() - 2, stages.end());
  for (int channels : {512, 256, 256, 128}) {
    const Tensor narrow = Conv(features.back(), channels / 2, Window(1));
    features.push_back(Conv(narrow, channels, Window(3, 2)));
  }
  return features;
}

// Returns the feature maps of RetinaNet: three on the way back up the stages of
// the ResNet, and two coarser ones from its end.
std::vector<Tensor> Pyramid(Tensor image) {
  constexpr int kWidth = 256;
  const std::vector<Tensor> stages = ResNet50Stages(image);
  std::vector<Tensor> levels;
  for (size_t stage = 3; stage > 0; --stage) {
    Tensor level = Conv(stages[stage], kWidth, Window(1));
    if (!levels.empty()) {
      const Tensor coarser = levels.front();
      level = Add(level, ResizeNearest(coarser, level.dim(1), level.dim(2)));
    }
    levels.insert(levels.begin(), level);
  }
  for (Tensor& level : levels) level = Conv(level, kWidth, Window(3));
  levels.push_back(Conv(stages.back(), kWidth, Window(3, 2)));
  const Tensor rectified = Unary(Op::RELU, levels.back());
  levels.push_back(Conv(rectified, kWidth, Window(3, 2)));
  return levels;
}

// Appends four convolutions and a prediction.
Tensor Head(Tensor x, int channels) {
  for (int i = 0; i < 4; ++i) x = Conv(x, x.dim(3), Window(3));
  return Conv(x, channels, Window(3));
}

void SsdOf(Network& network, const Extent& size) {
  constexpr int kClasses = 91;
  const std::vector<Tensor> features =
      SsdFeatures(network.Input({1, size, size, 3}));
  Predictions predictions;
  for (size_t i = 0; i < features.size(); ++i) {
    const int anchors = i == 0 ? 3 : 6;
    const Tensor boxes = Conv(features[i], anchors * kBoxNumbers, Window(1));
    predictions.boxes.push_back(PerAnchor(boxes, kBoxNumbers));
    const Tensor classes = Conv(features[i], anchors * kClasses, Window(1));
    predictions.classes.push_back(PerAnchor(classes, kClasses));
  }
  OutputDetections(network, predictions);
}

}  // namespace

void SsdMobileNet(Network& network) { SsdOf(network, 300); }

void SsdByImage(Network& network) {
  SsdOf(network, network.Parameter({"image", 160, 640}));
}

void DetectorByProposals(Network& network) {
  constexpr int kClasses = 81;
  constexpr int kAnchors = 3;
  constexpr int kWidth = 256;
  const Extent proposals = network.Parameter({"proposals", 1, 1000});
  std::vector<Tensor> levels = Pyramid(network.Input({1, 512, 512, 3}));
  std::vector<Tensor> guesses;
  for (Tensor level : levels) {
    const Tensor near = Conv(level, kWidth, Window(3));
    guesses.push_back(Conv(near, kAnchors, Window(1)));
    guesses.push_back(Conv(near, kBoxNumbers * kAnchors, Window(1)));
  }
  const Tensor regions =
      network.Append(OperatorKind::Custom("GenerateProposals"), guesses,
                     {proposals, kBoxNumbers}, ElementType::FLOAT32);
  levels.push_back(regions);
  const OperatorKind align = OperatorKind::Custom("RoiAlign");
  Tensor x = network.Append(align, levels, {proposals, 7, 7, kWidth},
                            ElementType::FLOAT32);
  x = FullyConnected(FullyConnected(Flatten(x), 1024), 1024);
  network.Output(Unary(Op::SOFTMAX, FullyConnected(x, kClasses)));
  network.Output(FullyConnected(x, kBoxNumbers * kClasses));
  Tensor mask = network.Append(align, levels, {proposals, 14, 14, kWidth},
                               ElementType::FLOAT32);
  for (int i = 0; i < 4; ++i) mask = Conv(mask, kWidth, Window(3));
  mask = TransposeConv(mask, kWidth, 2);
  network.Output(Unary(Op::LOGISTIC, Conv(mask, kClasses, Window(1))));
}

void RetinaNet(Network& network) {
  constexpr int kClasses = 80;
  constexpr int kAnchors = 9;
  Predictions predictions;
  for (Tensor level : Pyramid(network.Input({1, 512, 512, 3}))) {
    const Tensor classes = Head(level, kAnchors * kClasses);
    predictions.classes.push_back(PerAnchor(classes, kClasses));
    const Tensor boxes = Head(level, kAnchors * kBoxNumbers);
    predictions.boxes.push_back(PerAnchor(boxes, kBoxNumbers));
  }
  OutputDetections(network, predictions);
}

}  // namespace stowage::networks
