// SPDX-License-Identifier: Apache-2.0
// Keyword spotting on a microcontroller: DS-CNN.
//
// Zhang et al. 2017, "Hello Edge", the small DS-CNN: 49 frames of 10 features,
// one convolution and four depthwise separable ones of 64 channels.
#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {

void KeywordInt8(Network& network) {
  constexpr int kChannels = 64;
  constexpr int kWords = 12;
  Tensor x = network.Input({1, 49, 10, 1}, ElementType::INT8);
  Window window = Window::Rectangle(10, 4);
  window.stride = 2;
  x = Conv(x, kChannels, window);
  for (int i = 0; i < 4; ++i) {
    x = DepthwiseConv(x, Window(3));
    x = Conv(x, kChannels, Window(1));
  }
  x = FullyConnected(Flatten(GlobalAveragePool(x)), kWords);
  network.Output(Unary(Op::SOFTMAX, x));
}

}  // namespace stowage::networks
