// SPDX-License-Identifier: Apache-2.0
// DenseNet. Every layer of a block reads the outputs of all layers before it.
//
// Source: Huang et al. 2016, table 1 (121 layers, growth 32). The U-Net
// variant: Jegou et al. 2016, section 3 and table 3 (56 layers, growth 12).
// Normalisation comes before the convolution and cannot be folded into it, so
// it is a product and a sum.
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

Tensor Normalize(Tensor x) { return AddChannels(MulChannels(x)); }

Tensor DenseLayer(Tensor x) {
  constexpr int kGrowth = 32;
  Tensor y = Conv(Normalize(x), 4 * kGrowth, Window(1));
  y = Conv(y, kGrowth, Window(3));
  return Concat({x, y}, -1);
}

Tensor Transition(Tensor x) {
  x = Conv(Normalize(x), x.dim(3) / 2, Window(1));
  return AveragePool(x, Window(2, 2));
}

// Returns the outputs of the layers of a block. The layers read x and each
// other, but x is not part of the result.
Tensor NewFeatures(Tensor x) {
  constexpr int kGrowth = 12;
  constexpr int kLayers = 4;
  std::vector<Tensor> features;
  for (int i = 0; i < kLayers; ++i) {
    features.push_back(Conv(Normalize(x), kGrowth, Window(3)));
    if (i + 1 < kLayers) x = Concat({x, features.back()}, -1);
  }
  return Concat(features, -1);
}

}  // namespace

void DenseUNet56(Network& network) {
  constexpr int kScales = 5;
  constexpr int kClasses = 11;
  Tensor x = Conv(network.Input({1, 224, 224, 3}), 48, Window(3));
  std::vector<Tensor> kept;
  for (int i = 0; i < kScales; ++i) {
    kept.push_back(Concat({x, NewFeatures(x)}, -1));
    x = Conv(Normalize(kept.back()), kept.back().dim(3), Window(1));
    x = MaxPool(x, Window(2, 2));
  }
  for (; !kept.empty(); kept.pop_back()) {
    x = NewFeatures(x);
    x = TransposeConv(x, x.dim(3), 2);
    x = Concat({x, kept.back()}, -1);
  }
  x = Concat({x, NewFeatures(x)}, -1);
  network.Output(Unary(Op::SOFTMAX, Conv(x, kClasses, Window(1))));
}

void DenseNet121(Network& network) {
  Tensor x = network.Input({1, 224, 224, 3});
  x = MaxPool(Conv(x, 64, Window(7, 2)), Window(3, 2));
  bool first = true;
  for (int layers : {6, 12, 24, 16}) {
    if (!first) x = Transition(x);
    first = false;
    for (int i = 0; i < layers; ++i) x = DenseLayer(x);
  }
  x = FullyConnected(Flatten(GlobalAveragePool(Normalize(x))), 1000);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace stowage::networks
