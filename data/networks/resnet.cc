// SPDX-License-Identifier: Apache-2.0
#include "data/networks/resnet.h"

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// A block that narrows, filters, widens by four, and adds its input.
Tensor Bottleneck(Tensor x, int width, int stride, int dilation) {
  Window filter = Window::Dilated(3, dilation);
  filter.stride = stride;
  Tensor y = Conv(Conv(x, width, Window(1)), width, filter);
  y = Conv(y, 4 * width, Window(1));
  const bool same = stride == 1 && x.dim(3) == 4 * width;
  return Add(same ? x : Conv(x, 4 * width, Window(1, stride)), y);
}

}  // namespace

std::vector<Tensor> ResNet50Stages(Tensor image, bool dilated) {
  struct Stage {
    int width, blocks, stride;
  };
  const Stage stages[] = {
      {64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, dilated ? 1 : 2}};
  Tensor x = MaxPool(Conv(image, 64, Window(7, 2)), Window(3, 2));
  std::vector<Tensor> outputs;
  for (const Stage& stage : stages) {
    const int dilation = dilated && stage.width == 512 ? 2 : 1;
    x = Bottleneck(x, stage.width, stage.stride, dilation);
    for (int i = 1; i < stage.blocks; ++i) {
      x = Bottleneck(x, stage.width, 1, dilation);
    }
    outputs.push_back(x);
  }
  return outputs;
}

void ResNet50Batch8(Network& network) {
  Tensor x = ResNet50Stages(network.Input({8, 224, 224, 3})).back();
  x = FullyConnected(Flatten(GlobalAveragePool(x)), 1000);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace stowage::networks
