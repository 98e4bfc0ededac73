// SPDX-License-Identifier: Apache-2.0
// U-Net. The outputs of the way down are kept for the way up.
//
// U-Net: Ronneberger et al. 2015, figure 1. Its convolutions have no padding,
// so the image shrinks and the kept outputs are cropped. U-Net++: Zhou et al.
// 2018, figure 1. It has nodes on all paths between the way down and the way
// up.
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

Tensor ConvTwice(Tensor x, int channels) {
  const Window window(3, 1, Padding::kValid);
  return Conv(Conv(x, channels, window), channels, window);
}

Tensor Crop(Tensor x, Tensor like) {
  return Slice(x, {x.dim(0), like.dim(1), like.dim(2), x.dim(3)});
}

// A node of U-Net++. Its convolutions have padding.
Tensor Node(Tensor x, int channels) {
  return Conv(Conv(x, channels, Window(3)), channels, Window(3));
}

void UNetPlusPlusOf(Network& network, const Extent& size) {
  constexpr int kLevels = 5;
  constexpr int kWidth = 32;
  Tensor x = network.Input({1, size, size, 3});
  std::vector<std::vector<Tensor>> nodes;  // by level, from left to right
  for (int depth = 0; depth < kLevels; ++depth) {
    if (depth > 0) x = MaxPool(nodes.back().front(), Window(2, 2));
    nodes.push_back({Node(x, kWidth << depth)});
    for (int level = depth - 1; level >= 0; --level) {
      auto& row = nodes[static_cast<size_t>(level)];
      const Tensor below = nodes[static_cast<size_t>(level) + 1].back();
      std::vector<Tensor> joined = row;
      joined.push_back(TransposeConv(below, kWidth << level, 2));
      row.push_back(Node(Concat(joined, -1), kWidth << level));
    }
    if (depth > 0) network.Output(Conv(nodes[0].back(), 2, Window(1)));
  }
}

}  // namespace

void UNetPlusPlus(Network& network) { UNetPlusPlusOf(network, 384); }

void UNetPlusPlusByTiles(Network& network) {
  UNetPlusPlusOf(network, network.Parameter({"tiles", 4, 32}) * 16);
}

void UNet(Network& network) {
  Tensor x = network.Input({1, 572, 572, 1});
  std::vector<Tensor> kept;
  for (int channels : {64, 128, 256, 512}) {
    kept.push_back(ConvTwice(x, channels));
    x = MaxPool(kept.back(), Window(2, 2));
  }
  x = ConvTwice(x, 1024);
  for (int channels : {512, 256, 128, 64}) {
    x = TransposeConv(x, channels, 2);
    x = Concat({Crop(kept.back(), x), x}, -1);
    kept.pop_back();
    x = ConvTwice(x, channels);
  }
  network.Output(Conv(x, 2, Window(1)));
}

}  // namespace stowage::networks
