// SPDX-License-Identifier: Apache-2.0
// MobileNets, which use depthwise and pointwise convolutions instead of full
// ones.
//
// v1: Howard et al. 2017, table 1. v2: Sandler et al. 2018, table 2. v3:
// Howard et al. 2019, table 1.
#include "data/networks/mobilenet.h"

#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

Tensor Classifier(Tensor x, int classes) {
  x = FullyConnected(Flatten(GlobalAveragePool(x)), classes);
  return Unary(Op::SOFTMAX, x);
}

// A block of v2: it widens, filters each channel and narrows again. Input and
// output are added if they have the same shape.
Tensor InvertedResidual(Tensor x, int expansion, int channels, int stride) {
  Tensor y = x;
  if (expansion > 1) y = Conv(y, x.dim(3) * expansion, Window(1));
  y = DepthwiseConv(y, Window(3, stride));
  y = Conv(y, channels, Window(1));
  return stride == 1 && x.dim(3) == channels ? Add(x, y) : y;
}

// max(0, min(6, x + 3)) / 6. The clamping is fused into the addition.
Tensor HardSigmoid(Tensor x) { return MulScalar(AddScalar(x)); }

// Weighs each channel by a factor that depends on the whole image.
Tensor SqueezeAndExcite(Tensor x) {
  Tensor weight = Conv(GlobalAveragePool(x), x.dim(3) / 4, Window(1));
  weight = HardSigmoid(Conv(weight, x.dim(3), Window(1)));
  return Mul(x, weight);
}

// A row of the table for v3.
struct BottleneckRow {
  int kernel;
  int expanded;
  int channels;
  bool squeeze;
  bool hard_swish;  // a separate operator, unlike ReLU
  int stride;
};

Tensor BottleneckV3(Tensor x, const BottleneckRow& row) {
  const auto activate = [&](Tensor y) {
    return row.hard_swish ? Unary(Op::HARD_SWISH, y) : y;
  };
  Tensor y = x;
  if (row.expanded != x.dim(3)) {
    y = activate(Conv(y, row.expanded, Window(1)));
  }
  y = activate(DepthwiseConv(y, Window(row.kernel, row.stride)));
  if (row.squeeze) y = SqueezeAndExcite(y);
  y = Conv(y, row.channels, Window(1));
  return row.stride == 1 && x.dim(3) == row.channels ? Add(x, y) : y;
}

void MobileNetV2Of(Network& network, const Extent& size) {
  struct Row {
    int expansion, channels, repeat, stride;
  };
  constexpr Row kRows[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                           {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                           {6, 320, 1, 1}};
  Tensor x = Quantize(network.Input({1, size, size, 3}), ElementType::INT8);
  x = Conv(x, 32, Window(3, 2));
  for (const Row& row : kRows) {
    for (int i = 0; i < row.repeat; ++i) {
      const int stride = i == 0 ? row.stride : 1;
      x = InvertedResidual(x, row.expansion, row.channels, stride);
    }
  }
  x = Classifier(Conv(x, 1280, Window(1)), 1000);
  network.Output(Dequantize(x));
}

}  // namespace

std::vector<Tensor> MobileNetV1Stages(Tensor image) {
  // The channels of each stage. All stages but the first begin with stride 2.
  const std::vector<std::vector<int>> stages = {{64},
                                                {128, 128},
                                                {256, 256},
                                                {512, 512, 512, 512, 512, 512},
                                                {1024, 1024}};
  Tensor x = Conv(image, 32, Window(3, 2));
  std::vector<Tensor> outputs;
  for (const std::vector<int>& stage : stages) {
    int stride = outputs.empty() ? 1 : 2;
    for (int channels : stage) {
      x = DepthwiseConv(x, Window(3, stride));
      x = Conv(x, channels, Window(1));
      stride = 1;
    }
    outputs.push_back(x);
  }
  return outputs;
}

void MobileNetV1(Network& network) {
  const Tensor image = network.Input({1, 224, 224, 3});
  network.Output(Classifier(MobileNetV1Stages(image).back(), 1000));
}

void MobileNetV2Int8(Network& network) { MobileNetV2Of(network, 224); }

void MobileNetV2ByImage(Network& network) {
  MobileNetV2Of(network, network.Parameter({"image", 96, 512}));
}

void MobileNetV3(Network& network) {
  constexpr BottleneckRow kRows[] = {
      {3, 16, 16, false, false, 1}, {3, 64, 24, false, false, 2},
      {3, 72, 24, false, false, 1}, {5, 72, 40, true, false, 2},
      {5, 120, 40, true, false, 1}, {5, 120, 40, true, false, 1},
      {3, 240, 80, false, true, 2}, {3, 200, 80, false, true, 1},
      {3, 184, 80, false, true, 1}, {3, 184, 80, false, true, 1},
      {3, 480, 112, true, true, 1}, {3, 672, 112, true, true, 1},
      {5, 672, 160, true, true, 2}, {5, 960, 160, true, true, 1},
      {5, 960, 160, true, true, 1}};
  Tensor x = network.Input({1, 224, 224, 3});
  x = Unary(Op::HARD_SWISH, Conv(x, 16, Window(3, 2)));
  for (const BottleneckRow& row : kRows) x = BottleneckV3(x, row);
  x = Unary(Op::HARD_SWISH, Conv(x, 960, Window(1)));
  x = Conv(GlobalAveragePool(x), 1280, Window(1));
  x = FullyConnected(Flatten(Unary(Op::HARD_SWISH, x)), 1000);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace stowage::networks
