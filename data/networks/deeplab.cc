// SPDX-License-Identifier: Apache-2.0
// DeepLab v3, which reads one image at several scales at once.
//
// Chen et al. 2017, section 3.3: a dilated ResNet-50 at 1/16 of the size, then
// parallel convolutions with rates 6, 12 and 18 beside a summary of the whole
// image (atrous spatial pyramid pooling).
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"
#include "data/networks/resnet.h"

namespace stowage::networks {
namespace {

Tensor PyramidPool(Tensor x) {
  constexpr int kWidth = 256;
  std::vector<Tensor> branches = {Conv(x, kWidth, Window(1))};
  for (int rate : {6, 12, 18}) {
    branches.push_back(Conv(x, kWidth, Window::Dilated(3, rate)));
  }
  const Tensor summary = Conv(GlobalAveragePool(x), kWidth, Window(1));
  branches.push_back(ResizeBilinear(summary, x.dim(1), x.dim(2)));
  return Conv(Concat(branches, -1), kWidth, Window(1));
}

void DeepLabOf(Network& network, const Extent& size) {
  constexpr int kClasses = 21;
  const Tensor image = network.Input({1, size, size, 3});
  Tensor x = ResNet50Stages(image, /*dilated=*/true).back();
  x = Conv(PyramidPool(x), kClasses, Window(1));
  x = ResizeBilinear(x, image.dim(1), image.dim(2));
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace

void DeepLabV3(Network& network) { DeepLabOf(network, 513); }

void DeepLabByImage(Network& network) {
  DeepLabOf(network, network.Parameter({"image", 129, 513}));
}

}  // namespace stowage::networks
